import type { Git } from './git.ts';

export type FileDiff = {
  filename: string;
  previous_filename?: string;
  status: 'added' | 'removed' | 'modified' | 'renamed' | 'changed' | 'copied';
  sha: string;
  additions: number;
  deletions: number;
  changes: number;
  /** Absent for binary files, renames without a change, and diffs above the limits. */
  patch?: string;
};

const fileStatuses: Record<string, FileDiff['status']> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'changed',
};
/** GitHub omits the patch of a larger file. */
const patchLinesMax = 20_000;
const patchBytesMax = 500_000;
const diffOptions = ['--no-color', '--no-ext-diff', '--no-textconv', '--full-index', '-M'];

/** Returns the output of `git diff` between two trees or commits. */
export function readPatch(git: Git, directory: string, [from, to]: [string, string]): Promise<string> {
  return git.text(directory, ['diff', ...diffOptions, from, to, '--']);
}

export async function readFileDiffs(git: Git, directory: string, range: [string, string]): Promise<FileDiff[]> {
  const [raw, numbers, patch] = await Promise.all([
    git.text(directory, ['diff', ...diffOptions, '--raw', '--no-abbrev', '-z', ...range, '--']),
    git.text(directory, ['diff', ...diffOptions, '--numstat', '-z', ...range, '--']),
    readPatch(git, directory, range),
  ]);
  // All three outputs list the same files in the same order.
  const counts = parseNumstat(numbers);
  const patches = patch.split(/^(?=diff --git )/m).filter(Boolean);
  return parseRawDiff(raw).map((file, index) => {
    const [additions, deletions] = counts[index] ?? [0, 0];
    const hunks = /^@@[^]*/m.exec(patches[index] ?? '')?.[0].replace(/\n$/, '');
    return {
      ...file,
      additions,
      deletions,
      changes: additions + deletions,
      ...(hunks === undefined || isTooLarge(hunks) ? {} : { patch: hunks }),
    };
  });
}

const isTooLarge = (hunks: string): boolean =>
  Buffer.byteLength(hunks) > patchBytesMax || hunks.split('\n').length > patchLinesMax;

function parseRawDiff(raw: string): Pick<FileDiff, 'filename' | 'previous_filename' | 'status' | 'sha'>[] {
  const fields = raw.split('\0');
  const files = [];
  for (let at = 0; fields[at]?.startsWith(':') === true;) {
    const [, , before = '', after = '', letter = 'M'] = (fields[at] ?? '').split(' ');
    const status = fileStatuses[letter.charAt(0)] ?? 'modified';
    const moved = status === 'renamed' || status === 'copied';
    const path = fields[at + 1] ?? '';
    files.push({
      filename: moved ? (fields[at + 2] ?? '') : path,
      ...(moved ? { previous_filename: path } : {}),
      status,
      sha: status === 'removed' ? before : after,
    });
    at += moved ? 3 : 2;
  }
  return files;
}

/** A moved file's counts are followed by its two names as fields of their own; a binary file's counts are dashes. */
function parseNumstat(numbers: string): [number, number][] {
  return numbers
    .split('\0')
    .map((field) => /^(\d+|-)\t(\d+|-)\t/.exec(field))
    .filter((match) => match !== null)
    .map((match) => [Number(match[1]) || 0, Number(match[2]) || 0]);
}

export type DiffTotals = { additions: number; deletions: number; changedFiles: number };

export async function readDiffTotals(git: Git, directory: string, [from, to]: [string, string]): Promise<DiffTotals> {
  const counts = parseNumstat(await git.text(directory, ['diff', ...diffOptions, '--numstat', '-z', from, to, '--']));
  return {
    additions: counts.reduce((sum, [added]) => sum + added, 0),
    deletions: counts.reduce((sum, [, deleted]) => sum + deleted, 0),
    changedFiles: counts.length,
  };
}
