import { expect, it } from 'vitest';
import { draftViolation } from '../../../src/rules/changes/drafts.ts';

const done = { outcome: 'done' as const, summary: 'x' };

it.each([
  ['a step without delivery', {}, done, undefined, true],
  ['a delivery with a draft', { deliver: 'chat' as const }, done, 'Hello', true],
  ['a delivery without a draft', { deliver: 'chat' as const }, done, undefined, false],
  ['a delivery with a blank draft', { deliver: 'issue' as const }, done, ' \n', false],
  ['a question', { deliver: 'issue' as const }, { ...done, outcome: 'needs-guidance' as const }, undefined, true],
])('checks %s', (_, step, verdict, draft, isAllowed) => {
  expect(draftViolation(step, verdict, draft) === undefined).toBe(isAllowed);
});
