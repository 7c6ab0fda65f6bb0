import { expect, it } from 'vitest';
import { startMissingWork } from '../../src/reconcile/start-missing-work.ts';
import { startOrgDeletion } from '../../src/reconcile/start-org-deletion.ts';
import { orgFinalizer, OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { isDeleting, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

it('keeps the org, marked by the first person who deletes it, for the workflow that deletes it', async () => {
  const { deps, store, calls } = await createReconcileDeps();
  await startOrgDeletion(deps, { org: 'acme', by: 'jo@example.com' });
  await startOrgDeletion(deps, { org: 'acme', by: 'kim@example.com' });
  const org = await store.get(OrganizationKind, { namespace: systemNamespace, name: 'acme' });
  expect(isDeleting(org)).toBe(true);
  expect(org.metadata.finalizers).toEqual([orgFinalizer]);
  expect(org.status?.deletionMessage).toBe('The deletion was requested by jo@example.com.');
  const start = { type: 'deleteOrg', workflowId: 'delete-org/acme' };
  expect(org.status?.deletedBy).toBe('jo@example.com');
  const started = { ...start, by: 'jo@example.com' };
  expect(calls).toEqual([started, started]);
});

it('marks the org when several people delete it at the same time', async () => {
  const { deps, store } = await createReconcileDeps();
  const people = ['jo@example.com', 'kim@example.com', 'lee@example.com'];
  await Promise.all(people.map(async (by) => await startOrgDeletion(deps, { org: 'acme', by })));
  const org = await store.get(OrganizationKind, { namespace: systemNamespace, name: 'acme' });
  expect(isDeleting(org)).toBe(true);
  expect(org.metadata.finalizers).toEqual([orgFinalizer]);
});

it('does not show a deletion that ended before the org was marked, and names its next person', async () => {
  const { deps, store, calls } = await createReconcileDeps();
  const ref = { namespace: systemNamespace, name: 'acme' };
  const refuse = async (): Promise<never> => await Promise.reject(new Error('killed'));
  const killed = { ...deps, store: { ...store, delete: refuse } };
  await expect(startOrgDeletion(killed, { org: 'acme', by: 'jo@example.com' })).rejects.toThrow('killed');
  const kept = await store.get(OrganizationKind, ref);
  expect(isDeleting(kept)).toBe(false);
  expect(kept.status?.deletionMessage).toBeUndefined();
  await startOrgDeletion(deps, { org: 'acme', by: 'kim@example.com' });
  expect(calls).toMatchObject([{ by: 'kim@example.com' }]);
});

it('names the person of a deletion whose process ended right after the mark', async () => {
  const { deps, store, calls } = await createReconcileDeps();
  const ref = { namespace: systemNamespace, name: 'acme' };
  let isMarked = false;
  const updateStatus: Store['updateStatus'] = async (...args) => {
    if (isMarked) throw new Error('killed');
    return await store.updateStatus(...args);
  };
  const remove: Store['delete'] = async (...args) => {
    await store.delete(...args);
    isMarked = true;
  };
  const killed = { ...deps, store: { ...store, updateStatus, delete: remove } };
  await expect(startOrgDeletion(killed, { org: 'acme', by: 'jo@example.com' })).rejects.toThrow('killed');
  await startMissingWork(deps);
  expect(calls).toMatchObject([{ type: 'deleteOrg', by: 'jo@example.com' }]);
  const { status } = await store.get(OrganizationKind, ref);
  expect(status?.deletionMessage).toBe('The deletion was requested by jo@example.com.');
});
