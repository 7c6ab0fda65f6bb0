import { describe, expect, it } from 'vitest';
import { parsePatch, toSplitRows, type Line } from '../../../../src/clients/ui/parts/parse-patch.ts';

const toText = ({ kind, before, after, parts }: Line): string =>
  `${kind} ${before ?? ''}/${after ?? ''} ${parts.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('')}`;
const parse = (...lines: string[]) =>
  parsePatch(lines.join('\n')).map(({ title, lines: all }) => [title, ...all.map(toText)]);

describe('parsePatch', () => {
  it('numbers the lines of both sides, names the function, and counts the lines between hunks', () => {
    expect(parse('@@ -31,2 +31,3 @@ finishPayment', ' a', '+b', ' c', '@@ -45,1 +46,1 @@', ' d')).toEqual([
      ['@@ finishPayment', 'same 31/31 a', 'add /32 b', 'same 32/33 c'],
      ['12 lines are the same', 'same 45/46 d'],
    ]);
    expect(parse('@@ -0,0 +1,1 @@', '+a', '\\ No newline at end of file')).toEqual([['', 'add /1 a']]);
  });

  it('marks the words that differ in a line, and none in a line that has nothing in common', () => {
    expect(
      parse('@@ -1,1 +1,2 @@', '-const fare = quote(id);', '+const fare = held(id, now);', '+return fare;'),
    ).toEqual([
      ['', 'del 1/ const fare = [quote](id);', 'add /1 const fare = [held](id[, now]);', 'add /2 return fare;'],
    ]);
    expect(parse('@@ -1,1 +1,1 @@', '-await save(booking);', '+# nothing')).toEqual([
      ['', 'del 1/ await save(booking);', 'add /1 # nothing'],
    ]);
  });

  it('continues a hunk that a page has cut', () => {
    expect(parse('@@ -1,2 +1,2 @@ main', ' a', ' b', '@@ -3,0 +3,1 @@ main', '+c')).toEqual([
      ['@@ main', 'same 1/1 a', 'same 2/2 b', 'add /3 c'],
    ]);
  });

  it('skips the names of the files before the first hunk', () => {
    expect(parse('--- values.yaml', '+++ values.yaml', '@@ -1,1 +1,1 @@', '-replicas: 3', '+replicas: 4')).toEqual([
      ['', 'del 1/ replicas: [3]', 'add /1 replicas: [4]'],
    ]);
  });

  it('never takes the content of a file for the head of a hunk', () => {
    expect(parse('@@ -1,2 +1,1 @@', '-@@ -9,9 +9,9 @@', ' <script>alert(1)</script>')).toEqual([
      ['', 'del 1/ @@ -9,9 +9,9 @@', 'same 2/1 <script>alert(1)</script>'],
    ]);
  });
});

describe('toSplitRows', () => {
  it('puts a removed line next to the added line that replaces it', () => {
    const [hunk] = parsePatch('@@ -1,4 +1,3 @@\n a\n-b\n-c\n+B\n d\n+e');
    const rows = toSplitRows(hunk?.lines ?? []);
    expect(rows.map(({ left, right }) => [left?.parts[0]?.text, right?.parts[0]?.text])).toEqual([
      ['a', 'a'],
      ['b', 'B'],
      ['c', undefined],
      ['d', 'd'],
      [undefined, 'e'],
    ]);
  });
});
