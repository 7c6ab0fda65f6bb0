import { expect, it } from 'vitest';
import { assertNoActiveRestore } from '../../activities/assert-no-active-restore.ts';
import { isNonRetryable } from '../../activities/to-failure.ts';
import { restorePhases } from '../../src/rules/backups/kinds.ts';
import { openTestStore } from '../support/open-test-store.ts';
import { setRestorePhase } from '../support/set-restore-phase.ts';

it('throws an error that is retried while a restore writes', async () => {
  const store = openTestStore();
  await assertNoActiveRestore(store);
  const refused: string[] = [];
  for (const phase of restorePhases) {
    await setRestorePhase(store, phase);
    const error: unknown = await assertNoActiveRestore(store).catch((cause: unknown) => cause);
    if (error === undefined) continue;
    refused.push(phase);
    expect(error).toMatchObject({ message: expect.stringContaining('"restore-1"') });
    expect(isNonRetryable(error)).toBe(false);
  }
  expect(refused).toEqual(['Restoring', 'Restarting']);
});
