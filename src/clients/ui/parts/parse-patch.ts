import { diffWordsWithSpace } from 'diff';

type Part = { text: string; isChanged: boolean };
export type Line = { kind: 'same' | 'add' | 'del'; before?: number; after?: number; parts: Part[] };
export type Hunk = { title: string; lines: Line[] };
/** A row of the split view: a line of either side, or of both. */
export type SplitRow = { left?: Line; right?: Line };

/** Lines that are longer, or have less in common, are shown without marks: marks would only be noise. */
const markedCharactersMax = 400;
const commonMin = 0.4;

/** Reads hunks in the unified format, of one page or several, and marks the words that differ between a removed line and the one added for it. */
export function parsePatch(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  let [before, after] = [0, 0];
  for (const text of patch.split('\n')) {
    // Content begins with a sign, so that no line of a file can imitate the head of a hunk.
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/s.exec(text);
    if (head) {
      const [oldStart, newStart] = [Number(head[1]), Number(head[2])];
      // A page may end within a hunk, which goes on in the next page.
      if (hunks.length > 0 && oldStart === before && newStart === after) continue;
      hunks.push({ title: toTitle(head[3] ?? '', oldStart - Math.max(before, 1)), lines: [] });
      [before, after] = [oldStart, newStart];
      continue;
    }
    const parts = [{ text: text.slice(1), isChanged: false }];
    const lines = hunks.at(-1)?.lines;
    if (text.startsWith('+')) lines?.push({ kind: 'add', after: after++, parts });
    else if (text.startsWith('-')) lines?.push({ kind: 'del', before: before++, parts });
    else if (text.startsWith(' ')) lines?.push({ kind: 'same', before: before++, after: after++, parts });
  }
  for (const { lines } of hunks) markWords(lines);
  return hunks;
}

function toTitle(section: string, skipped: number): string {
  if (section !== '') return `@@ ${section}`;
  return skipped <= 0 ? '' : `${skipped.toLocaleString('en')} ${skipped === 1 ? 'line is' : 'lines are'} the same`;
}

/** Pairs the removed and the added lines of each block, in order. */
export function toSplitRows(lines: readonly Line[]): SplitRow[] {
  const rows: SplitRow[] = [];
  for (const block of groupBlocks(lines)) {
    const removed = block.filter(({ kind }) => kind === 'del');
    const added = block.filter(({ kind }) => kind === 'add');
    const [first] = block;
    if (first?.kind === 'same') rows.push({ left: first, right: first });
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1) {
      const [left, right] = [removed[index], added[index]];
      rows.push({ ...(left && { left }), ...(right && { right }) });
    }
  }
  return rows;
}

/** A block is one line that is the same, or removed lines with the added lines that follow them. */
function groupBlocks(lines: readonly Line[]): Line[][] {
  const blocks: Line[][] = [];
  for (const line of lines) {
    const last = blocks.at(-1)?.at(-1);
    const continues =
      last && line.kind !== 'same' && last.kind !== 'same' && !(last.kind === 'add' && line.kind === 'del');
    if (continues) blocks.at(-1)?.push(line);
    else blocks.push([line]);
  }
  return blocks;
}

function markWords(lines: Line[]): void {
  for (const block of groupBlocks(lines)) {
    const removed = block.filter(({ kind }) => kind === 'del');
    const added = block.filter(({ kind }) => kind === 'add');
    for (const [index, old] of removed.entries()) {
      const now = added[index];
      if (now) markPair(old, now);
    }
  }
}

function markPair(old: Line, now: Line): void {
  const [before, after] = [old.parts[0]?.text ?? '', now.parts[0]?.text ?? ''];
  if (Math.max(before.length, after.length) > markedCharactersMax) return;
  const changes = diffWordsWithSpace(before, after);
  const common = changes.reduce(
    (sum, { added, removed, value }) => (added || removed ? sum : sum + value.trim().length),
    0,
  );
  if (common < commonMin * Math.min(before.trim().length, after.trim().length) || common === 0) return;
  old.parts = changes.filter(({ added }) => !added).map(({ value, removed }) => ({ text: value, isChanged: removed }));
  now.parts = changes.filter(({ removed }) => !removed).map(({ value, added }) => ({ text: value, isChanged: added }));
}
