import { constants } from 'node:fs';
import { lstat, open, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  evidenceBytesMax,
  evidenceFilesMax,
  evidenceFolder,
  tooManyFilesMessage,
} from '../../src/rules/changes/evidence.ts';
import type { SkippedEvidence } from '../../src/rules/changes/kinds.ts';

export type CollectedEvidence = { files: { name: string; bytes: Uint8Array }[]; skipped: SkippedEvidence[] };

/** Ends the walk of a folder that was built to be endless. */
const entriesMax = 1000;
const skippedMax = 20;
const nameCharactersMax = 200;

/**
 * Reads the regular files of a checkout's evidence folder. Earlier commands may have created links, devices and pipes,
 * so it follows no link and opens regular files only.
 */
export async function collectEvidence(tree: string): Promise<CollectedEvidence> {
  const found: CollectedEvidence = { files: [], skipped: [] };
  const folder = join(tree, evidenceFolder);
  for (const path of [join(tree, '.service'), folder]) {
    const stats = await lstat(path).catch(() => undefined);
    if (!stats) return found;
    if (!stats.isDirectory()) return { ...found, skipped: [{ name: evidenceFolder, reason: 'It is not a folder.' }] };
  }
  const { names, problems } = await listFolder(folder);
  found.skipped.push(...problems);
  for (const name of names.toSorted()) await addFile(found, { folder, name });
  return { ...found, skipped: truncateSkipped(found.skipped) };
}

type FolderListing = { names: string[]; problems: SkippedEvidence[] };

async function listFolder(folder: string): Promise<FolderListing> {
  const listing: FolderListing = { names: [], problems: [] };
  const folders = [''];
  let entries = 0;
  for (let at = folders.shift(); at !== undefined; at = folders.shift()) {
    const opened = await opendir(join(folder, at)).catch(() => undefined);
    if (!opened) {
      listing.problems.push({ name: at, reason: 'It cannot be read.' });
      continue;
    }
    for await (const entry of opened) {
      entries += 1;
      if (entries > entriesMax) {
        const reason = `The folder has more than ${entriesMax} entries, and only some were read.`;
        return { ...listing, problems: [...listing.problems, { name: evidenceFolder, reason }] };
      }
      const name = at === '' ? entry.name : `${at}/${entry.name}`;
      const problem = nameViolation(name) ?? (entry.isDirectory() || entry.isFile() ? undefined : 'It is not a file.');
      if (problem) listing.problems.push({ name: toPrintableName(name), reason: problem });
      else if (entry.isDirectory()) folders.push(name);
      else listing.names.push(name);
    }
  }
  return listing;
}

function nameViolation(name: string): string | undefined {
  if (/[\p{C}\ufffd]/u.test(name)) return 'Its name has unprintable characters.';
  return name.length > nameCharactersMax ? `Its name has more than ${nameCharactersMax} characters.` : undefined;
}

const toPrintableName = (name: string): string => name.replaceAll(/[\p{C}\ufffd]/gu, '�').slice(0, nameCharactersMax);

async function addFile(found: CollectedEvidence, { folder, name }: { folder: string; name: string }): Promise<void> {
  const skip = (reason: string): void => void found.skipped.push({ name, reason });
  if (found.files.length === evidenceFilesMax) return skip(tooManyFilesMessage);
  const bytes = await readRegularFile(join(folder, name)).catch(() => undefined);
  if (!bytes) return skip('It cannot be read.');
  if (bytes.length > evidenceBytesMax) return skip(`It is larger than ${evidenceBytesMax / 1024} KB.`);
  found.files.push({ name, bytes });
}

/** Reads at most one byte more than the limit, because the reported size can be wrong. */
async function readRegularFile(path: string): Promise<Uint8Array | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  await using file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!(await file.stat()).isFile()) return undefined;
  const buffer = Buffer.alloc(evidenceBytesMax + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function truncateSkipped(skipped: SkippedEvidence[]): SkippedEvidence[] {
  if (skipped.length <= skippedMax) return skipped;
  const more = skipped.length - skippedMax;
  return [...skipped.slice(0, skippedMax), { name: `… and ${more} more`, reason: 'They are not listed.' }];
}
