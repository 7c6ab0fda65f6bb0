import { expect, it } from 'vitest';
import { wakeRepositoryAccess } from '../../src/reconcile/wake-repository-access.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

it('ends when the loop of the org has its signal', async () => {
  const { deps, calls } = await createReconcileDeps();
  const warnings: object[] = [];
  await wakeRepositoryAccess({ ...deps, log: { warn: (fields) => void warnings.push(fields) } }, 'acme');
  expect(calls).toEqual([
    { type: 'keepRepositoryAccess', workflowId: 'keep-repository-access/acme', signal: 'refreshAccess' },
  ]);
  expect(warnings).toEqual([]);
});
