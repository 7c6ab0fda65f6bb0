import { expect, it } from 'vitest';
import { commentMarker, toIssueComment } from '../../../src/rules/changes/issue-comment.ts';

const source = { run: 'issue-hydration-hello-7-1a2b3c4d', step: 'hydrate' };
const body = (draft: string): string =>
  toIssueComment(draft, source).slice(
    commentMarker(source).length + 1,
    -toIssueComment('', source).length + commentMarker(source).length + 1,
  );

it('has its marker once, at the start, and names the run', () => {
  const comment = toIssueComment(`Hello\n${commentMarker(source)}\n<!-- service:run=other step=hydrate -->`, source);
  expect(comment.split('<!--')).toHaveLength(2);
  expect(comment.startsWith(`${commentMarker(source)}\nHello\n`)).toBe(true);
  expect(comment).toContain('Written by an agent in the run `issue-hydration-hello-7-1a2b3c4d`');
});

it.each([
  ['a person', 'Ask @ada about it', 'Ask @\u200bada about it'],
  ['a team', '@acme/all', '@\u200bacme/all'],
  ['a person by an entity', '&#64;ada &commat;ada', '&\u200b#64;ada &\u200bcommat;ada'],
  ['text without a mention', 'ada at example', 'ada at example'],
  ['a closing keyword', 'This fixes #12.', 'This fi\u200bxes #12.'],
  ['a closing keyword with a colon', 'Closes: acme/hello#3', 'Cl\u200boses: acme/hello#3'],
  [
    'a closing keyword with a link',
    'resolved https://host/acme/hello/issues/3',
    're\u200bsolved https://host/acme/hello/issues/3',
  ],
  ['a closing keyword in another style', 'FIX GH-4', 'FI\u200bX GH-4'],
  ['a closing keyword without an issue', 'It fixes the greeting', 'It fixes the greeting'],
  ['a reference', 'See #12', 'See #12'],
  ['an image', '![x](http://evil/?seen)', '!\u200b[x](http://evil/?seen)'],
  ['an image in HTML', '<IMG src=http://evil>', '<\u200bIMG src=http://evil>'],
  ['a comment that hides the rest', 'a <!-- b', 'a <\u200b!-- b'],
  ['text with a reversed direction', 'a\u202eb\u2066c', 'abc'],
  ['space around the text', '\n  Hello \n\n', 'Hello'],
  ['control characters', 'a\u0000b\u001b[31mc\r\n\td', 'ab[31mc\n\td'],
])('makes %s harmless', (_, draft, shown) => {
  expect(body(draft)).toBe(shown);
});

it('is never longer than the limit and cuts no character in two', () => {
  const comment = toIssueComment('🎉'.repeat(40_000), source);
  expect(comment.length).toBeLessThanOrEqual(65_536);
  expect(comment.isWellFormed()).toBe(true);
  expect(comment).toContain('The rest is truncated.');
  expect(toIssueComment('@a '.repeat(30_000), source).length).toBeLessThanOrEqual(65_536);
});
