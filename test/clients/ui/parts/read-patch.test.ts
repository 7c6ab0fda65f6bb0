import { isDelete, isInsert, type ChangeData, type HunkTokens } from 'react-diff-view';
import { describe, expect, it } from 'vitest';
import { readPatch, toTitle } from '../../../../src/clients/ui/parts/read-patch.ts';

const toNumbers = (change: ChangeData): string => {
  if (isDelete(change)) return `${change.lineNumber}/`;
  return isInsert(change) ? `/${change.lineNumber}` : `${change.oldLineNumber}/${change.newLineNumber}`;
};

/** The text of a line, with its marked words in brackets. */
function toText(change: ChangeData, { old, new: now }: HunkTokens): string {
  const number = isDelete(change) || isInsert(change) ? change.lineNumber : 0;
  const tokens = (isDelete(change) ? old : now)[number - 1];
  if (!tokens) return change.content;
  return tokens.map(({ type, value }) => (type === 'text' ? value : `[${type} ${value}]`)).join('');
}

const readLines = (lines: string[], view: 'unified' | 'split' = 'unified'): string[][] => {
  const { hunks, tokens } = readPatch(lines.join('\n'), view);
  return hunks.map((hunk) => [
    toTitle(hunk),
    ...hunk.changes.map((change) => `${change.type} ${toNumbers(change)} ${toText(change, tokens)}`),
  ]);
};

describe('readPatch', () => {
  it('numbers the lines of both sides, names the function, and counts the lines between hunks', () => {
    expect(
      readLines([
        '@@ -31,2 +31,3 @@ finishPayment',
        ' a',
        '+b',
        ' c',
        '@@ -45,1 +46,1 @@',
        ' d',
        '@@ -47 +48 @@',
        ' e',
      ]),
    ).toEqual([
      ['@@ finishPayment', 'normal 31/31 a', 'insert /32 b', 'normal 32/33 c'],
      ['12 lines are the same', 'normal 45/46 d'],
      ['1 line is the same', 'normal 47/48 e'],
    ]);
    expect(readLines(['@@ -0,0 +1,1 @@', '+a', '\\ No newline at end of file'])).toEqual([['', 'insert /1 a']]);
    expect(readLines(['@@ -1,1 +0,0 @@', '-a'])).toEqual([['', 'delete 1/ a']]);
    expect(readLines([''])).toEqual([]);
  });

  it('marks the words that differ in a line, and none in a line that has nothing in common or is long', () => {
    expect(
      readLines(['@@ -1,1 +1,2 @@', '-const fare = quote(id);', '+const fare = held(id, now);', '+return fare;']),
    ).toEqual([
      [
        '',
        'delete 1/ const fare = [del quote](id);',
        'insert /1 const fare = [ins held](id[ins , now]);',
        'insert /2 return fare;',
      ],
    ]);
    expect(readLines(['@@ -1,1 +1,1 @@', '-await save(booking);', '+# nothing'])).toEqual([
      ['', 'delete 1/ await save(booking);', 'insert /1 # nothing'],
    ]);
    const long = 'word '.repeat(80);
    expect(readLines(['@@ -1,1 +1,1 @@', `-${long}a`, `+${long}b`])).toEqual([
      ['', `delete 1/ ${long}a`, `insert /1 ${long}b`],
    ]);
  });

  it('puts a removed line before the added line that replaces it where both sides are shown', () => {
    const patch = ['@@ -7,4 +7,4 @@', ' a', '-two b', '-two c', '+two B', '+two C', ' d', '+e', '-f'];
    const removed = ['delete 8/ two [del b]', 'delete 9/ two [del c]'];
    const added = ['insert /8 two [ins B]', 'insert /9 two [ins C]'];
    const last = ['normal 10/10 d', 'insert /11 e', 'delete 11/ f'];
    expect(readLines(patch)).toEqual([['6 lines are the same', 'normal 7/7 a', ...removed, ...added, ...last]]);
    expect(readLines(patch, 'split')).toEqual([
      ['6 lines are the same', 'normal 7/7 a', removed[0], added[0], removed[1], added[1], ...last],
    ]);
  });

  it('continues a hunk that a page has cut, also between a removed line and the added one', () => {
    expect(readLines(['@@ -1,2 +1,2 @@ main', ' a', ' b', '@@ -3,0 +3,1 @@ main', '+c'])).toEqual([
      ['@@ main', 'normal 1/1 a', 'normal 2/2 b', 'insert /3 c'],
    ]);
    expect(readLines(['@@ -0,0 +1,1 @@', '+a', '@@ -0,0 +2,1 @@', '+b'])).toEqual([['', 'insert /1 a', 'insert /2 b']]);
    expect(readLines(['@@ -5,1 +5,0 @@ main', '-fare = 1', '@@ -6,0 +5,1 @@ main', '+fare = 2'], 'split')).toEqual([
      ['@@ main', 'delete 5/ fare = [del 1]', 'insert /5 fare = [ins 2]'],
    ]);
  });

  it('skips the names of the files before the first hunk, and lines that are not of a hunk', () => {
    expect(
      readLines(['Index: values.yaml', '=====', '--- values.yaml', '+++ values.yaml', '@@ -1,1 +1,1 @@']).flat(),
    ).toEqual(['']);
    expect(readLines(['@@ -1,1 +1,1 @@', '\\ No newline', 'diff --git a/b', '@@@ -1 -1 +1 @@@', '', ' a'])).toEqual([
      ['', 'normal 1/1 a'],
    ]);
  });

  it('never takes the content of a file for the head of a hunk or of a file', () => {
    expect(
      readLines([
        '@@ -1,4 +1,3 @@',
        '-@@ -9,9 +9,9 @@',
        '---- a/x',
        '++++ b/x',
        ' <script>alert(1)</script>\r@@ -1 +1 @@',
      ]),
    ).toEqual([
      [
        '',
        'delete 1/ @@ -9,9 +9,9 @@',
        'delete 2/ --- a/x',
        'insert /1 +++ b/x',
        'normal 3/2 <script>alert(1)</script>\r@@ -1 +1 @@',
      ],
    ]);
  });
});
