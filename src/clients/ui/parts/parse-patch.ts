import { diffWordsWithSpace } from 'diff';

export type PatchLine = {
  kind: 'same' | 'add' | 'del' | 'gap';
  number: number;
  /** Every second part has changed within the line. */
  parts: string[];
};

/** Parses the unified patch of one file, and marks the words that differ between a line and its successor. */
export function parsePatch(patch: string): PatchLine[] {
  const lines: PatchLine[] = [];
  let [before, after] = [0, 0];
  for (const text of patch.split('\n')) {
    const [, start, next] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(text) ?? [];
    if (start !== undefined && next !== undefined) {
      if (lines.length > 0) lines.push({ kind: 'gap', number: 0, parts: ['…'] });
      [before, after] = [Number(start), Number(next)];
    } else if (before === 0 && after === 0) continue;
    else if (text.startsWith('+')) lines.push({ kind: 'add', number: after++, parts: [text.slice(1)] });
    else if (text.startsWith('-')) lines.push({ kind: 'del', number: before++, parts: [text.slice(1)] });
    else if (text.startsWith(' ')) {
      lines.push({ kind: 'same', number: after++, parts: [text.slice(1)] });
      before += 1;
    }
  }
  return markWords(lines);
}

/** Pairs the first removed line of a block with the first added one, and so on. */
function markWords(lines: PatchLine[]): PatchLine[] {
  const marked = [...lines];
  for (let start = 0; start < lines.length; start += 1) {
    if (lines[start]?.kind !== 'del') continue;
    let middle = start;
    while (lines[middle]?.kind === 'del') middle += 1;
    let end = middle;
    while (lines[end]?.kind === 'add') end += 1;
    for (let index = 0; index < Math.min(middle - start, end - middle); index += 1) {
      const [removed, added] = [marked[start + index], marked[middle + index]];
      if (!removed || !added) continue;
      const [one, other] = compareWords(removed.parts.join(''), added.parts.join(''));
      marked[start + index] = { ...removed, parts: one };
      marked[middle + index] = { ...added, parts: other };
    }
    start = end - 1;
  }
  return marked;
}

function compareWords(before: string, after: string): [string[], string[]] {
  const changes = diffWordsWithSpace(before, after);
  const pick = (isOther: (change: (typeof changes)[number]) => boolean): string[] => {
    const parts: string[] = [''];
    for (const change of changes.filter((one) => !isOther(one))) {
      const isMarked = change.added || change.removed;
      if (isMarked === (parts.length % 2 === 1)) parts.push('');
      parts[parts.length - 1] += change.value;
    }
    return parts;
  };
  return [pick(({ added }) => added), pick(({ removed }) => removed)];
}
