import { archiveLimits } from './archive-limits.ts';
import { archivePathViolation } from './archive-path-violation.ts';

/** One entry of an archive, as its directory declares it. */
export type ArchiveEntry = {
  /** Ends with "/" for a folder. */
  path: string;
  kind: 'file' | 'folder' | 'link' | 'other' | 'unreadable' | 'unnamed';
  bytes: number;
  compressedBytes: number;
  executable: boolean;
};

const MiB = 1024 * 1024;
const kindViolations: Partial<Record<ArchiveEntry['kind'], string>> = {
  link: 'is a symbolic link: replace it by the file that it leads to',
  other: 'is neither a file nor a folder: remove it',
  unreadable: 'is encrypted, or compressed with an unknown method: create the archive without a password',
  unnamed: 'has a name that is not UTF-8: rename the file',
};

/** Metadata that macOS adds to archives, and that no person expects in a repo. */
const isSystemFile = ({ path }: ArchiveEntry): boolean => /^__MACOSX\/|(^|\/)\.DS_Store$/.test(path);

/** Returns the files of an archive that become files of the repo. */
export const listArchiveFiles = (entries: readonly ArchiveEntry[]): ArchiveEntry[] =>
  entries.filter((entry) => entry.kind === 'file' && !isSystemFile(entry));

/** Returns why an archive is refused, with the name of the entry and the fix. */
export function archiveViolation(entries: readonly ArchiveEntry[]): string | undefined {
  const found = findEntryViolation(entries) ?? findNameCollision(entries);
  if (found) return `The entry ${JSON.stringify(found.path)} ${found.violation}.`;
  const files = listArchiveFiles(entries);
  const { files: filesMax, totalBytes } = archiveLimits;
  if (files.length > filesMax)
    return `The archive contains ${files.length} files, and at most ${filesMax} are allowed: remove installed packages and build results.`;
  if (files.length === 0) return 'The archive contains no file: add the files of the Product.';
  if (files.reduce((sum, { bytes }) => sum + bytes, 0) > totalBytes)
    return `The files of the archive have more than ${totalBytes / MiB} MiB together: remove installed packages and build results.`;
  return undefined;
}

type EntryViolation = { path: string; violation: string };

function findEntryViolation(entries: readonly ArchiveEntry[]): EntryViolation | undefined {
  for (const entry of entries) {
    const violation = kindViolations[entry.kind] ?? archivePathViolation(entry.path) ?? sizeViolation(entry);
    if (violation !== undefined) return { path: entry.path, violation };
  }
  return undefined;
}

function sizeViolation({ bytes, compressedBytes }: ArchiveEntry): string | undefined {
  const { fileBytes, ratio, ratioFromBytes } = archiveLimits;
  if (bytes > fileBytes) return `has more than ${fileBytes / MiB} MiB: remove it, or store it outside of the repo`;
  if (bytes > ratioFromBytes && bytes > compressedBytes * ratio)
    return `unpacks to more than ${ratio} times its size: remove it`;
  return undefined;
}

/** Finds a path that another entry has too, on systems that ignore case, or that is both a file and a folder. */
function findNameCollision(entries: readonly ArchiveEntry[]): EntryViolation | undefined {
  const seen = new Map<string, { path: string; isFile: boolean }>();
  for (const { path, kind } of entries) {
    const names = path.replace(/\/$/, '').split('/');
    for (let depth = 1; depth <= names.length; depth += 1) {
      const prefix = names.slice(0, depth).join('/');
      const isFile = depth === names.length && kind === 'file';
      const key = prefix.normalize('NFC').toLowerCase();
      const earlier = seen.get(key);
      if (earlier && (earlier.path !== prefix || earlier.isFile || isFile))
        return { path, violation: `has the same name as ${JSON.stringify(earlier.path)}: rename or remove one` };
      if (!earlier) seen.set(key, { path: prefix, isFile });
    }
  }
  return undefined;
}

/** Returns the only folder at the top of the archive with a "/", or "" if there are other files next to it. */
export function toTopFolder(files: readonly ArchiveEntry[]): string {
  const [first = ''] = files[0]?.path.split('/') ?? [];
  const prefix = `${first}/`;
  return files.every(({ path }) => path.startsWith(prefix)) ? prefix : '';
}
