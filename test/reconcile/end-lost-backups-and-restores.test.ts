import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { endLostBackupsAndRestores } from '../../src/reconcile/end-lost-backups-and-restores.ts';
import {
  BackupKind,
  type BackupStatus,
  RestoreKind,
  type RestoreStatus,
  toRestoreSecretRef,
} from '../../src/rules/backups/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { openTestStore } from '../support/open-test-store.ts';

const hour = 60 * 60_000;
const backup = 'backup-20260101120000-1a2b3c4d';
const startedBy = 'ada@example.com';

type WorkflowState = 'RUNNING' | 'COMPLETED' | undefined;

/** Opens an installation in which one workflow is in this state and no other one was ever started. */
function createInstallation(workflowId: string, state: WorkflowState) {
  const store = openTestStore();
  const getHandle = (id: string): object => ({
    describe: async () => {
      if (id === workflowId && state) return { status: { name: state } };
      throw new WorkflowNotFoundError('none', id, undefined);
    },
  });
  const temporal = {
    withDeadline: async (_deadline: number, call: () => Promise<unknown>) => await call(),
    workflow: { getHandle },
  } as unknown as Client;
  const sweep = async (ms: number): Promise<void> =>
    await endLostBackupsAndRestores({ store, temporal, now: () => new Date(Date.now() + ms) });
  return { store, sweep };
}

describe('restores', () => {
  /** Creates a restore, as a request leaves it behind, next to a workflow in this state. */
  async function createRestore(workflow: WorkflowState, phase?: RestoreStatus['phase']) {
    const { store, sweep } = createInstallation('restore-backup', workflow);
    const ref = { namespace: systemNamespace, name: 'restore-1' };
    const { metadata } = await store.create(RestoreKind, { metadata: ref, spec: { startedBy, backup } });
    if (phase) await store.updateStatus(RestoreKind, ref, () => ({ phase, startedAt: metadata.creationTimestamp }));
    await store.create(SecretKind, { metadata: toRestoreSecretRef(ref.name), data: {} });
    const endAfter = async (ms: number) => {
      await sweep(ms);
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
});

describe('backups', () => {
  /** Creates a backup, as a request leaves it behind, next to a workflow in this state. */
  async function createBackup(workflow: WorkflowState, phase?: BackupStatus['phase']) {
    const { store, sweep } = createInstallation('back-up', workflow);
    const ref = { namespace: systemNamespace, name: backup };
    const { metadata } = await store.create(BackupKind, { metadata: ref, spec: { startedBy } });
    if (phase) await store.updateStatus(BackupKind, ref, () => ({ phase, startedAt: metadata.creationTimestamp }));
    const endAfter = async (ms: number) => {
      await sweep(ms);
      return (await store.get(BackupKind, ref)).status;
    };
    return { endAfter };
  }

  it.each([
    ['whose process died before it started the workflow', undefined, undefined],
    ['whose process died while an earlier workflow had completed', 'COMPLETED', undefined],
    ['whose workflow was lost', undefined, 'Running'],
  ] as const)('fails a backup %s', async (_, workflow, phase) => {
    const { endAfter } = await createBackup(workflow, phase);
    expect(await endAfter(hour)).toMatchObject({
      phase: 'Failed',
      failure: { message: 'The workflow of the backup was lost.' },
    });
  });

  it('leaves a backup alone whose workflow runs or may still be started', async () => {
    const running = await createBackup('RUNNING', 'Running');
    expect(await running.endAfter(hour)).toMatchObject({ phase: 'Running' });
    const starting = await createBackup(undefined);
    expect(await starting.endAfter(60_000)).toBeUndefined();
  });

  it('keeps the result of a backup', async () => {
    const { endAfter } = await createBackup('COMPLETED', 'Succeeded');
    expect(await endAfter(hour)).not.toHaveProperty('failure');
  });
});
