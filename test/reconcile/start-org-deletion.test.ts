import { expect, it } from 'vitest';
import { startOrgDeletion } from '../../src/reconcile/start-org-deletion.ts';
import { orgFinalizer, OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { isDeleting, systemNamespace } from '../../src/rules/resource.ts';
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
  expect(calls).toEqual(['jo@example.com', 'kim@example.com'].map((by) => ({ ...start, by })));
});

it('marks the org when several people delete it at the same time', async () => {
  const { deps, store } = await createReconcileDeps();
  const people = ['jo@example.com', 'kim@example.com', 'lee@example.com'];
  await Promise.all(people.map(async (by) => await startOrgDeletion(deps, { org: 'acme', by })));
  const org = await store.get(OrganizationKind, { namespace: systemNamespace, name: 'acme' });
  expect(isDeleting(org)).toBe(true);
  expect(org.metadata.finalizers).toEqual([orgFinalizer]);
});
