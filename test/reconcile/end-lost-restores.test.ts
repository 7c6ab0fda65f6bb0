import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { expect, it } from 'vitest';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { endLostRestores } from '../../src/reconcile/end-lost-restores.ts';
import { RestoreKind, type RestoreStatus, toRestoreSecretRef } from '../../src/rules/backups/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { openTestStore } from '../support/open-test-store.ts';

const hour = 60 * 60_000;

/** Creates a restore, as a request leaves it behind, next to a workflow in this state. */
async function createRestore(workflow: 'RUNNING' | 'COMPLETED' | undefined, phase?: RestoreStatus['phase']) {
  const store = openTestStore();
  const ref = { namespace: systemNamespace, name: 'restore-1' };
  const spec = { startedBy: 'ada@example.com', backup: 'backup-20260101120000-1a2b3c4d' };
  const { metadata } = await store.create(RestoreKind, { metadata: ref, spec });
  if (phase) await store.updateStatus(RestoreKind, ref, () => ({ phase, startedAt: metadata.creationTimestamp }));
  await store.create(SecretKind, { metadata: toRestoreSecretRef(ref.name), data: {} });
  const describe = async (): Promise<object> => {
    if (workflow === undefined) throw new WorkflowNotFoundError('none', 'restore-backup', undefined);
    return { status: { name: workflow } };
  };
  const temporal = {
    withDeadline: async (_deadline: number, call: () => Promise<unknown>) => await call(),
    workflow: { getHandle: () => ({ describe }) },
  } as unknown as Client;
  const endAfter = async (ms: number) => {
    await endLostRestores({ store, temporal, now: () => new Date(Date.now() + ms) });
    const { status } = await store.get(RestoreKind, ref);
    return { status, hasKey: (await store.find(SecretKind, toRestoreSecretRef(ref.name))) !== undefined };
  };
  return { endAfter };
}

it.each([
  ['whose workflow was never started', undefined, 'Checking'],
  ['whose process died before its first status', 'COMPLETED', undefined],
  ['whose workflow was lost, so that it locks nothing', undefined, 'Restoring'],
] as const)('fails a restore %s', async (_, workflow, phase) => {
  const { endAfter } = await createRestore(workflow, phase);
  expect(await endAfter(hour)).toMatchObject({
    status: { phase: 'Failed', failure: { message: 'The workflow of the restore was lost.' } },
    hasKey: false,
  });
});

it('leaves a restore alone whose workflow runs or may still be started', async () => {
  const running = await createRestore('RUNNING', 'Checking');
  expect(await running.endAfter(hour)).toMatchObject({ status: { phase: 'Checking' }, hasKey: true });
  const starting = await createRestore(undefined, 'Checking');
  expect(await starting.endAfter(60_000)).toMatchObject({ status: { phase: 'Checking' }, hasKey: true });
});

it('keeps the result of a restore', async () => {
  const { endAfter } = await createRestore('COMPLETED', 'Succeeded');
  expect((await endAfter(hour)).status).not.toHaveProperty('failure');
});
