import { describe, expect, it } from 'vitest';
import { pagePatch } from '../../../src/rules/changes/page-patch.ts';

const patch = [
  '@@ -1,4 +1,4 @@ function one() {',
  ' a',
  '-b',
  '+B',
  ' c',
  ' d',
  '@@ -20,2 +20,3 @@',
  ' x',
  '+@@ -1 +1 @@ not a header',
  '-y',
  '+y',
  '\\ No newline at end of file',
].join('\n');
const bytes = 1_000;

describe('pagePatch', () => {
  it('returns a patch that fits as one page, with complete ranges', () => {
    expect(pagePatch(patch, { after: 0, lines: 100, bytes })).toEqual({ patch });
    expect(pagePatch('@@ -0,0 +1 @@\n+only', { after: 0, lines: 1, bytes })).toEqual({
      patch: '@@ -0,0 +1,1 @@\n+only',
    });
    expect(pagePatch('', { after: 0, lines: 1, bytes })).toEqual({ patch: '' });
  });

  it('repeats the header of a hunk that it cuts, with the ranges of the part', () => {
    expect(pagePatch(patch, { after: 0, lines: 3, bytes })).toEqual({
      patch: '@@ -1,2 +1,2 @@ function one() {\n a\n-b\n+B',
      next: 3,
    });
    expect(pagePatch(patch, { after: 3, lines: 3, bytes })).toEqual({
      patch: '@@ -3,2 +3,2 @@ function one() {\n c\n d\n@@ -20,1 +20,1 @@\n x',
      next: 6,
    });
    expect(pagePatch(patch, { after: 6, lines: 3, bytes })).toEqual({
      patch: '@@ -21,1 +21,2 @@\n+@@ -1 +1 @@ not a header\n-y\n+y\n\\ No newline at end of file',
    });
    expect(pagePatch(patch, { after: 5, lines: 1, bytes })).toMatchObject({ next: 6 });
  });

  it('limits the bytes of a page to whole lines, and returns at least one line', () => {
    const long = `@@ -0,0 +1,3 @@\n+${'a'.repeat(600)}\n+${'b'.repeat(600)}\n+c`;
    const first = pagePatch(long, { after: 0, lines: 100, bytes });
    expect(first).toEqual({ patch: `@@ -0,0 +1,1 @@\n+${'a'.repeat(600)}`, next: 1 });
    expect(pagePatch(long, { after: 1, lines: 100, bytes: 1 })).toMatchObject({ next: 2 });
  });

  it('returns nothing after the last line', () => {
    expect(pagePatch(patch, { after: 50, lines: 3, bytes })).toEqual({ patch: '' });
  });

  it.each([1, 2, 3, 4, 7])('loses and repeats no line in pages of %i', (lines) => {
    const collected: string[] = [];
    for (let after: number | undefined = 0; after !== undefined;) {
      const page = pagePatch(patch, { after, lines, bytes });
      collected.push(...page.patch.split('\n').filter((line) => !line.startsWith('@@')));
      after = page.next;
    }
    expect(collected).toEqual(patch.split('\n').filter((line) => !line.startsWith('@@')));
  });
});
