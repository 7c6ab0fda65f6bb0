import { expect, it } from 'vitest';
import { formatReviews } from '../../../src/rules/changes/format-reviews.ts';

it('lists the verdicts that were given for a commit', () => {
  const verdict = { outcome: 'changes-requested' as const, summary: 'Add a test.' };
  const reviews = [
    { step: 'review-code', verdict: undefined },
    { step: 'review-tests', verdict },
  ];
  expect(formatReviews(reviews, 'c0ffee')).toBe(
    'Reviews of c0ffee\n\n**review-tests**: changes-requested\n\nAdd a test.',
  );
  expect(formatReviews(reviews.slice(0, 1), 'c0ffee')).toBeUndefined();
});
