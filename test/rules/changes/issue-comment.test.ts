import { expect, it } from 'vitest';
import { commentMarker, issueComment } from '../../../src/rules/changes/issue-comment.ts';

const of = { run: 'issue-hydration-hello-7-1a2b3c4d', step: 'hydrate' };
const body = (draft: string): string =>
  issueComment(draft, of).slice(
    commentMarker(of).length + 1,
    -issueComment('', of).length + commentMarker(of).length + 1,
  );

it('carries its marker once, at the start, and says who wrote it', () => {
  const comment = issueComment(`Hello\n${commentMarker(of)}\n<!-- service:run=other step=hydrate -->`, of);
  expect(comment.split('<!--')).toHaveLength(2);
  expect(comment.startsWith(`${commentMarker(of)}\nHello\n`)).toBe(true);
  expect(comment).toContain('Written by an agent in the run `issue-hydration-hello-7-1a2b3c4d`');
});

it.each([
  ['a person', 'Ask @ada about it', 'Ask @\u200bada about it'],
  ['a team', '@acme/all', '@\u200bacme/all'],
  ['a person by an entity', '&#64;ada &commat;ada', '&\u200b#64;ada &\u200bcommat;ada'],
  ['an address that is none', 'ada at example', 'ada at example'],
  ['a closing keyword', 'This fixes #12.', 'This fi\u200bxes #12.'],
  ['one with a colon', 'Closes: acme/hello#3', 'Cl\u200boses: acme/hello#3'],
  ['one with a link', 'resolved https://host/acme/hello/issues/3', 're\u200bsolved https://host/acme/hello/issues/3'],
  ['one of another style', 'FIX GH-4', 'FI\u200bX GH-4'],
  ['the word alone', 'It fixes the greeting', 'It fixes the greeting'],
  ['a reference', 'See #12', 'See #12'],
  ['an image', '![x](http://evil/?seen)', '!\u200b[x](http://evil/?seen)'],
  ['an image in HTML', '<IMG src=http://evil>', '<\u200bIMG src=http://evil>'],
  ['a comment that hides the rest', 'a <!-- b', 'a <\u200b!-- b'],
  ['text turned round', 'a\u202eb\u2066c', 'abc'],
  ['control characters', 'a\u0000b\u001b[31mc\r\n\td', 'ab[31mc\n\td'],
])('makes %s harmless', (_, draft, shown) => {
  expect(body(draft)).toBe(shown);
});

it('never is longer than a comment may be, and cuts no character in two', () => {
  const comment = issueComment('🎉'.repeat(40_000), of);
  expect(comment.length).toBeLessThanOrEqual(65_536);
  expect(comment.isWellFormed()).toBe(true);
  expect(comment).toContain('The rest is cut.');
  expect(issueComment('@a '.repeat(30_000), of).length).toBeLessThanOrEqual(65_536);
});
