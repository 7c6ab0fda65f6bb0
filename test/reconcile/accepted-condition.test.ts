import { AccessGroupKind } from '../../src/rules/access/kinds.ts';
import { reconcileAccessGroup } from '../../src/reconcile/reconcile-access-group.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';
import { expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { rejectionMessage, setAcceptedCondition } from '../../src/reconcile/accepted-condition.ts';

it('returns the message of a permanent refusal', () => {
  expect(rejectionMessage(new ServiceError('name-taken', 'Taken.'))).toBe('Taken.');
  expect(rejectionMessage(new ServiceError('quota-reached', 'Too many.'))).toBe('Too many.');
});

it.each([
  new ServiceError('unavailable', 'Down.'),
  new ServiceError('too-many-requests', 'Slow.'),
  new Error('A fault.'),
])('rethrows %s, so that it is retried', (error) => {
  expect(() => rejectionMessage(error)).toThrow(error);
});

it('keeps the rest of the status, and has no effect on a resource that is gone', async () => {
  const { deps, store } = await createReconcileDeps();
  const metadata = { namespace: 'org-acme', name: 'ops' };
  const group = await store.create(AccessGroupKind, { metadata, spec: { name: 'ops', role: 'member', members: [] } });
  await setAcceptedCondition(deps, AccessGroupKind, group, 'No.');
  const rejected = await store.get(AccessGroupKind, metadata);
  expect(rejected.status?.conditions).toMatchObject([{ status: 'False', message: 'No.', observedGeneration: 1 }]);
  await setAcceptedCondition(deps, AccessGroupKind, group, 'No.');
  expect(await store.get(AccessGroupKind, metadata)).toEqual(rejected);
  await store.delete(AccessGroupKind, metadata);
  await expect(setAcceptedCondition(deps, AccessGroupKind, group)).resolves.toBeUndefined();
});

it('records no rejection of a resource that another replica has accepted meanwhile', async () => {
  const { deps, store } = await createReconcileDeps();
  const metadata = { namespace: 'org-acme', name: 'ops' };
  const spec = { name: 'ops', role: 'member' as const, members: [] };
  const group = await store.create(AccessGroupKind, { metadata, spec });
  await reconcileAccessGroup(deps, group);
  const accepted = await store.get(AccessGroupKind, metadata);
  expect(accepted.status?.conditions).toMatchObject([{ status: 'True' }]);
  await setAcceptedCondition(deps, AccessGroupKind, group, 'The org does not exist yet.');
  expect(await store.get(AccessGroupKind, metadata)).toEqual(accepted);
});
