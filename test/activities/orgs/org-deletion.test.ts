import { expect, it } from 'vitest';
import { findDeletingOrg, recordDeletionProgress } from '../../../activities/orgs/org-deletion.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const ref = { namespace: 'service-system', name: 'acme' };

async function createOrg() {
  const store = openTestStore();
  const { metadata } = await store.create(OrganizationKind, {
    metadata: { ...ref, finalizers: ['test/keep'] },
    spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' },
  });
  return { store, uid: metadata.uid };
}

it('finds an Organization only while it is being deleted, and none that has its name since', async () => {
  const { store, uid } = await createOrg();
  expect(await findDeletingOrg(store, { org: 'acme', uid })).toBeUndefined();
  await store.delete(OrganizationKind, ref);
  expect((await findDeletingOrg(store, { org: 'acme', uid }))?.metadata.uid).toBe(uid);
  expect(await findDeletingOrg(store, { org: 'acme', uid: 'later' })).toBeUndefined();
  expect(await findDeletingOrg(store, { org: 'gone', uid })).toBeUndefined();
});

it('records progress on the very Organization, and nothing once it is gone', async () => {
  const { store, uid } = await createOrg();
  const readMessage = async () => (await store.get(OrganizationKind, ref)).status?.deletionMessage;
  await recordDeletionProgress(store, { org: 'acme', uid: 'earlier' }, 'wrong');
  expect(await readMessage()).toBeUndefined();
  await recordDeletionProgress(store, { org: 'acme', uid }, 'The runs are being cancelled.');
  expect(await readMessage()).toBe('The runs are being cancelled.');
  await recordDeletionProgress(store, { org: 'gone', uid }, 'wrong');
});
