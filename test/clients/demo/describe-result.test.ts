import { expect, it } from 'vitest';
import { describeResult } from '../../../src/clients/demo/describe-result.ts';
import type { ReleaseView, RunView } from '../../../src/clients/demo/views.ts';

const failure = { message: 'The build failed.', fix: 'Fix the build.' };
const run: RunView = { name: 'change-1', progress: [], status: { phase: 'Succeeded', mergeCommit: 'c', steps: [] } };
const release = (phase: string, extra: Partial<ReleaseView['status']> = {}): ReleaseView => ({
  name: 'shop-v0.1.0',
  spec: { version: 'v0.1.0' },
  status: { phase, zones: [{ name: 'shop-prod', phase: 'Verified', address: 'http://shop-prod' }], ...extra },
});

it('prints a failure once', () => {
  const failed = release('Failed', { failure, zones: [{ name: 'shop-rc', phase: 'Failed', failure }] });
  const lines = describeResult({ run, release: failed }, { isServing: false });
  expect(lines.filter((line) => line.includes('The build failed.'))).toEqual(['The build failed. Fix the build.']);
  expect(lines.at(-1)).toBe('Run the demo again to retry, or pass another --issue.');
});

it('says why a delivered Change does not count as a success', () => {
  expect(describeResult({ run, release: release('Succeeded') }, { isServing: true })).toHaveLength(1);
  const lines = describeResult({ run, release: release('Succeeded') }, { isServing: false });
  expect(lines.at(-1)).toBe('The address of shop-prod does not serve v0.1.0.');
});

it('says how to answer a question without a person at the terminal', () => {
  const guidance = { step: 'implement', question: 'Which colour?' };
  const lines = describeResult({ run, release: undefined, guidance }, { isServing: false });
  expect(lines).toEqual([
    'implement needs guidance: Which colour?',
    'Run the demo without --yes to answer, or fix the cause and run it again to retry the step.',
  ]);
});
