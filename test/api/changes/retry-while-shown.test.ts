import { describe, expect, it } from 'vitest';
import { retryWhileShown } from '../../../api/changes/retry-while-shown.ts';
import { ServiceError } from '../../../src/errors.ts';

/** Refuses a decision that many times before it accepts it. */
function refuse(times: number, error: Error) {
  let calls = 0;
  const decide = async (): Promise<number> => {
    calls += 1;
    if (calls <= times) throw error;
    return calls;
  };
  return { decide, countCalls: () => calls };
}

const refusal = new ServiceError('step-not-waiting', 'The step "approve" is Pending, not Waiting.');

describe('a decision on a step that the store shows as waiting', () => {
  it('is repeated until the workflow waits again, with a growing pause before each repetition', async () => {
    const { decide } = refuse(2, refusal);
    const startedAt = performance.now();
    expect(await retryWhileShown(decide, async () => true)).toBe(3);
    expect(performance.now() - startedAt).toBeGreaterThan(250);
  });

  it('is refused once the store shows another phase', async () => {
    const { decide, countCalls } = refuse(9, refusal);
    const shown = [true, false];
    await expect(retryWhileShown(decide, async () => shown.shift() === true)).rejects.toThrow('is Pending');
    expect(countCalls()).toBe(2);
  });

  it('is refused at once for every other reason', async () => {
    const { decide, countCalls } = refuse(9, new ServiceError('unreviewed-commits', 'There are new commits.'));
    await expect(retryWhileShown(decide, async () => true)).rejects.toThrow('There are new commits.');
    expect(countCalls()).toBe(1);
  });

  it('is refused in the end by a workflow that never waits', async () => {
    const { decide, countCalls } = refuse(99, refusal);
    await expect(retryWhileShown(decide, async () => true)).rejects.toThrow('is Pending');
    expect(countCalls()).toBe(8);
  });
});
