import { expect, it } from 'vitest';
import { formatReviews } from '../../../src/rules/changes/format-reviews.ts';

const verdict = { outcome: 'changes-requested' as const, summary: 'Add a test.' };
const headSha = 'c0ffee';

it('lists the verdicts that were given for a commit', () => {
  const reviews = [
    { step: 'review-code', verdict: undefined, headSha },
    { step: 'review-tests', verdict, headSha },
  ];
  expect(formatReviews(reviews)).toBe('Reviews of c0ffee\n\n**review-tests**: changes-requested\n\nAdd a test.');
  expect(formatReviews(reviews.slice(0, 1))).toBeUndefined();
});

it('names the commit of each review where they differ', () => {
  const approval = { outcome: 'approved' as const, summary: 'It greets.' };
  const reviews = [
    { step: 'review-code', verdict: approval, headSha },
    { step: 'review-docs', verdict: approval, headSha: 'newer' },
    { step: 'review-tests', verdict, headSha },
  ];
  expect(formatReviews(reviews)?.match(/^Reviews of \w+|^\*\*[a-z-]+/gm)).toEqual([
    'Reviews of c0ffee',
    '**review-code',
    '**review-tests',
    'Reviews of newer',
    '**review-docs',
  ]);
});
