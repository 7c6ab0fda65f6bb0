import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { invalid, ServiceError } from '../../errors.ts';
import { archiveLimits } from '../../rules/products/archive-limits.ts';
import {
  type ArchiveEntry,
  archiveViolation,
  toTopFolder,
  listArchiveFiles,
} from '../../rules/products/archive-violation.ts';
import type { SourceFile } from '../../rules/products/source-file.ts';

/** Directories of archives with more entries are not read to their end. */
const entriesMax = 10_000;
/** The type of a file in its Unix mode. */
const typeMask = 0o170000;
const [regularType, folderType, linkType] = [0o100000, 0o040000, 0o120000];

type ReadEntry = ArchiveEntry & { entry: Entry };

/**
 * Unpacks a ZIP archive file by file, without the only folder at its top. Throws before the first file when the
 * directory of the archive breaks a rule, and at a file whose content differs from what the directory declares.
 */
export async function* readArchive(bytes: Uint8Array): AsyncGenerator<SourceFile> {
  const { zip, files } = await openArchive(bytes);
  const top = toTopFolder(files);
  for (const file of files)
    yield {
      path: file.path.slice(top.length),
      content: await readContent(zip, file),
      executable: file.executable,
    };
}

async function openArchive(bytes: Uint8Array): Promise<{ zip: ZipFile; files: ReadEntry[] }> {
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const zip = await fromBufferPromise(buffer, { decodeStrings: false, validateEntrySizes: true });
    if (zip.entryCount > entriesMax)
      throw refused(
        `The archive contains ${zip.entryCount} entries, and at most ${archiveLimits.files} files are allowed.`,
      );
    const entries: ReadEntry[] = [];
    for await (const entry of zip.eachEntry()) entries.push(toReadEntry(entry));
    const violation = archiveViolation(entries);
    if (violation !== undefined) throw refused(violation);
    return { zip, files: listArchiveFiles(entries) as ReadEntry[] };
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw refused(`The body is not a readable ZIP archive: ${(error as Error).message}. Create the archive again.`);
  }
}

function toReadEntry(entry: Entry): ReadEntry {
  const mode = entry.externalFileAttributes >>> 16;
  const path = decodeName(entry.fileNameRaw);
  return {
    entry,
    path: path ?? entry.fileNameRaw.toString('latin1'),
    kind: path === undefined ? 'unnamed' : toKind(entry, { path, type: mode & typeMask }),
    bytes: entry.uncompressedSize,
    compressedBytes: entry.compressedSize,
    executable: (mode & 0o111) !== 0,
  };
}

function toKind(entry: Entry, { path, type }: { path: string; type: number }): ArchiveEntry['kind'] {
  if (entry.isEncrypted() || !entry.canDecodeFileData()) return 'unreadable';
  if (type === linkType) return 'link';
  if (path.endsWith('/')) return type === 0 || type === folderType ? 'folder' : 'other';
  return type === 0 || type === regularType ? 'file' : 'other';
}

/** Most programs write UTF-8, also those that do not set its flag. */
function decodeName(raw: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return undefined;
  }
}

/** The library ends a stream with an error as soon as it exceeds the declared size. */
async function readContent(zip: ZipFile, { entry, path }: ReadEntry): Promise<Uint8Array> {
  const fix = 'Create the archive again.';
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
    const content = Buffer.concat(chunks);
    if (crc32(content) !== entry.crc32) throw new Error('its checksum is wrong');
    return content;
  } catch (error) {
    throw refused(`The entry ${JSON.stringify(path)} is damaged: ${(error as Error).message}. ${fix}`);
  }
}

const refused = (detail: string): ServiceError => invalid(detail, [{ pointer: '', detail }]);
