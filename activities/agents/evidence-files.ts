import { constants } from 'node:fs';
import { lstat, open, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { evidenceBytesMax, evidenceFilesMax, evidenceFolder, tooManyFiles } from '../../src/rules/changes/evidence.ts';
import type { EvidenceSkipped } from '../../src/rules/changes/kinds.ts';

export type FoundEvidence = { files: { name: string; bytes: Uint8Array }[]; skipped: EvidenceSkipped[] };

/** More names than anybody reads, and a folder that was made to be walked for ever ends too. */
const entriesMax = 1000;
const skippedMax = 20;
const nameCharactersMax = 200;

/**
 * The regular files of a checkout's evidence folder. Nothing else runs there while we look, but what ran before may
 * have left links, devices and pipes: no link is followed, and nothing is opened that is not a regular file.
 */
export async function findEvidence(tree: string): Promise<FoundEvidence> {
  const found: FoundEvidence = { files: [], skipped: [] };
  const folder = join(tree, evidenceFolder);
  for (const path of [join(tree, '.service'), folder]) {
    const stats = await lstat(path).catch(() => undefined);
    if (!stats) return found;
    if (!stats.isDirectory()) return { ...found, skipped: [{ name: evidenceFolder, reason: 'It is not a folder.' }] };
  }
  const { names, problems } = await walk(folder);
  found.skipped.push(...problems);
  for (const name of names.toSorted()) await take(found, { folder, name });
  return { ...found, skipped: bounded(found.skipped) };
}

type Walked = { names: string[]; problems: EvidenceSkipped[] };

async function walk(folder: string): Promise<Walked> {
  const walked: Walked = { names: [], problems: [] };
  const waiting = [''];
  let entries = 0;
  for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
    const opened = await opendir(join(folder, at)).catch(() => undefined);
    if (!opened) {
      walked.problems.push({ name: at, reason: 'It cannot be read.' });
      continue;
    }
    for await (const entry of opened) {
      entries += 1;
      if (entries > entriesMax) {
        const reason = `There are more than ${entriesMax} entries: only some were looked at.`;
        return { ...walked, problems: [...walked.problems, { name: evidenceFolder, reason }] };
      }
      const name = at === '' ? entry.name : `${at}/${entry.name}`;
      const problem = nameProblem(name) ?? (entry.isDirectory() || entry.isFile() ? undefined : 'It is not a file.');
      if (problem) walked.problems.push({ name: shown(name), reason: problem });
      else if (entry.isDirectory()) waiting.push(name);
      else walked.names.push(name);
    }
  }
  return walked;
}

function nameProblem(name: string): string | undefined {
  if (/[\p{C}\ufffd]/u.test(name)) return 'Its name has characters that cannot be shown.';
  return name.length > nameCharactersMax ? `Its name has more than ${nameCharactersMax} characters.` : undefined;
}

const shown = (name: string): string => name.replaceAll(/[\p{C}\ufffd]/gu, '�').slice(0, nameCharactersMax);

async function take(found: FoundEvidence, { folder, name }: { folder: string; name: string }): Promise<void> {
  const skip = (reason: string): void => void found.skipped.push({ name, reason });
  if (found.files.length === evidenceFilesMax) return skip(tooManyFiles);
  const bytes = await readRegularFile(join(folder, name)).catch(() => undefined);
  if (!bytes) return skip('It cannot be read.');
  if (bytes.length > evidenceBytesMax) return skip(`It is larger than the ${evidenceBytesMax / 1024} KB of a file.`);
  found.files.push({ name, bytes });
}

/** At most one byte more than a file may have, whatever its size claims to be. */
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

function bounded(skipped: EvidenceSkipped[]): EvidenceSkipped[] {
  if (skipped.length <= skippedMax) return skipped;
  const more = skipped.length - skippedMax;
  return [...skipped.slice(0, skippedMax), { name: `… and ${more} more`, reason: 'They are not named one by one.' }];
}
