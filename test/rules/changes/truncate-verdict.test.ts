import { expect, it } from 'vitest';
import { matchesTruncated, truncateVerdict } from '../../../src/rules/changes/truncate-verdict.ts';

const summary = 'x'.repeat(300);

it('truncates a long summary and drops the criteria', () => {
  const criteria = [{ criterion: 'a', met: true, note: '' }];
  expect(truncateVerdict({ outcome: 'done', summary, criteria })).toEqual({
    outcome: 'done',
    summary: `${'x'.repeat(200)}…`,
  });
  expect(truncateVerdict({ outcome: 'done', summary: 'Short.' })).toEqual({ outcome: 'done', summary: 'Short.' });
});

it('keeps a question to a person complete', () => {
  expect(truncateVerdict({ outcome: 'needs-guidance', summary }).summary).toBe(summary);
});

it('matches a truncated verdict with its full text', () => {
  const full = { outcome: 'done' as const, summary };
  expect(matchesTruncated(truncateVerdict(full), full)).toBe(true);
  expect(matchesTruncated(truncateVerdict(full), { ...full, summary: 'Other.' })).toBe(false);
  expect(matchesTruncated(truncateVerdict(full), { ...full, outcome: 'approved' })).toBe(false);
});
