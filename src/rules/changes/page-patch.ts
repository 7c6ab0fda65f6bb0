export type PatchPage = {
  patch: string;
  /** The number of lines up to the end of this page; undefined on the last page. */
  next?: number;
};

type Hunk = { oldStart: number; newStart: number; section: string; lines: string[] };
type Limits = { after: number; lines: number; bytes: number };

/**
 * Returns a page of the hunks of one file. Only lines below hunk headers count. A hunk that a page cuts gets a header in
 * each page, so that every page is a valid unified diff.
 */
export function pagePatch(patch: string, { after, lines, bytes }: Limits): PatchPage {
  const pages: string[] = [];
  let [position, taken, takenBytes] = [0, 0, 0];
  for (const hunk of parseHunks(patch)) {
    const from = Math.max(0, after - position);
    let to = from;
    for (; to < hunk.lines.length; to += 1) {
      const size = Buffer.byteLength(hunk.lines[to] ?? '') + 1;
      const isFull = taken > 0 && (taken === lines || takenBytes + size > bytes);
      // The marker of a missing newline belongs to the line before it.
      if (isFull && !isMarker(hunk.lines[to])) return { patch: joinPages(pages, hunk, from, to), next: position + to };
      taken += 1;
      takenBytes += size;
    }
    if (to > from) pages.push(formatHunk(hunk, from, to));
    position += hunk.lines.length;
  }
  return { patch: pages.join('\n') };
}

function joinPages(pages: string[], hunk: Hunk, from: number, to: number): string {
  return [...pages, ...(to > from ? [formatHunk(hunk, from, to)] : [])].join('\n');
}

const isMarker = (line: string | undefined): boolean => line?.startsWith('\\') === true;

function parseHunks(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  for (const line of patch.split('\n')) {
    const [, oldStart, newStart, section = ''] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/s.exec(line) ?? [];
    // Lines of a hunk begin with a space, a sign or a backslash, so no content can imitate a header.
    if (oldStart !== undefined)
      hunks.push({ oldStart: Number(oldStart), newStart: Number(newStart), section, lines: [] });
    else hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}

function formatHunk({ oldStart, newStart, section, lines }: Hunk, from: number, to: number): string {
  const before = countSides(lines.slice(0, from));
  const part = lines.slice(from, to);
  const counts = countSides(part);
  const oldRange = `${oldStart + before.old},${counts.old}`;
  const newRange = `${newStart + before.new},${counts.new}`;
  return [`@@ -${oldRange} +${newRange} @@${section}`, ...part].join('\n');
}

function countSides(lines: string[]): { old: number; new: number } {
  const count = (sign: string): number => lines.filter((line) => !isMarker(line) && !line.startsWith(sign)).length;
  return { old: count('+'), new: count('-') };
}
