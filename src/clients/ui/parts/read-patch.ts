import { diffWordsWithSpace, type ChangeObject } from 'diff';
import {
  isDelete,
  isInsert,
  parseDiff,
  type HunkData,
  type HunkTokens,
  type TokenNode,
  type ViewType,
} from 'react-diff-view';

/** The hunks of one file as the viewer draws them, and the lines of which some words are marked. */
export type PatchView = { viewType: ViewType; hunks: HunkData[]; tokens: HunkTokens };

/** The parser reads hunks only below the names of a file, which the pages of the API do not have. */
const fileHead = 'diff --git a/file b/file\n--- a/file\n+++ b/file\n';
const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/s;

/** Lines that are longer, or have less in common, are shown without marks: marks would only be noise. */
const markedCharactersMax = 400;
const commonMin = 0.4;

/** Reads hunks in the unified format, of one page or several. */
export function readPatch(patch: string, viewType: ViewType = 'unified'): PatchView {
  const text = fileHead + joinPages(patch);
  const pairs = parseDiff(text, { nearbySequences: 'zip' })[0]?.hunks ?? [];
  const hunks = viewType === 'split' ? pairs : (parseDiff(text)[0]?.hunks ?? []);
  return { viewType, hunks, tokens: markWords(pairs) };
}

/** The function that a hunk is in, or the number of lines before it that are the same. */
export const toTitle = ({ content }: HunkData): string => hunkHead.exec(content)?.[5] ?? '';

/**
 * Leaves out heads of hunks that only continue the hunk of the page before, and all lines that are not of a hunk. Content
 * begins with a sign, so that no line of a file can imitate a head.
 */
function joinPages(patch: string): string {
  const lines: string[] = [];
  let [before, after] = [0, 0];
  for (const line of patch.split('\n')) {
    const [head, oldStart, oldLines = '1', newStart, newLines = '1', section = ''] = hunkHead.exec(line) ?? [];
    if (head === undefined) {
      if (before + after > 0 && /^[ +-]/.test(line)) lines.push(line);
      continue;
    }
    const isContinued = Number(oldStart) === before && Number(newStart) === after;
    const title = section === '' ? formatSkipped(Number(oldStart) - Math.max(before, 1)) : `@@ ${section}`;
    if (!isContinued) lines.push(`@@ -${oldStart} +${newStart} @@ ${title}`);
    [before, after] = [Number(oldStart) + Number(oldLines), Number(newStart) + Number(newLines)];
  }
  return lines.join('\n');
}

const formatSkipped = (lines: number): string =>
  lines <= 0 ? '' : `${lines.toLocaleString('en')} ${lines === 1 ? 'line is' : 'lines are'} the same`;

/** Marks the words that differ between a removed line and the added line that the parser has paired with it. */
function markWords(pairs: readonly HunkData[]): HunkTokens {
  const tokens: HunkTokens = { old: [], new: [] };
  for (const { changes } of pairs)
    for (const [index, old] of changes.entries()) {
      const now = changes[index + 1];
      if (!now || !isDelete(old) || !isInsert(now)) continue;
      const words = compareWords(old.content, now.content);
      if (!words) continue;
      tokens.old[old.lineNumber - 1] = toTokens(words, 'del');
      tokens.new[now.lineNumber - 1] = toTokens(words, 'ins');
    }
  return tokens;
}

function compareWords(before: string, after: string): ChangeObject<string>[] | undefined {
  if (Math.max(before.length, after.length) > markedCharactersMax) return undefined;
  const words = diffWordsWithSpace(before, after);
  const common = words.reduce(
    (sum, { added, removed, value }) => (added || removed ? sum : sum + value.trim().length),
    0,
  );
  const isNoise = common === 0 || common < commonMin * Math.min(before.trim().length, after.trim().length);
  return isNoise ? undefined : words;
}

/** The words of one side of a comparison. */
const toTokens = (words: readonly ChangeObject<string>[], side: 'del' | 'ins'): TokenNode[] =>
  words
    .filter(({ added, removed }) => (side === 'del' ? !added : !removed))
    .map(({ added, removed, value }) => ({ type: added || removed ? side : 'text', value }));
