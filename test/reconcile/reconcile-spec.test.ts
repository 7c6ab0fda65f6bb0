import { expect, it } from 'vitest';
import { invalid } from '../../src/errors.ts';
import { reconcileAccessGroup } from '../../src/reconcile/reconcile-access-group.ts';
import { reconcileSpec } from '../../src/reconcile/reconcile-spec.ts';
import { AccessGroupKind } from '../../src/rules/access/kinds.ts';
import { isReconciled } from '../../src/rules/conditions.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const ref = { namespace: 'org-acme', name: 'ops' };

async function createGroup() {
  const { deps, store } = await createReconcileDeps();
  const spec = { name: 'ops', role: 'member' as const, members: [] };
  return { deps, store, group: await store.create(AccessGroupKind, { metadata: ref, spec }) };
}

it('applies a valid spec once', async () => {
  const { deps, store, group } = await createGroup();
  let applied = 0;
  const reconciler = { assertValid: async () => {}, apply: async () => void (applied += 1) };
  await reconcileSpec(deps, AccessGroupKind, group, reconciler);
  await reconcileSpec(deps, AccessGroupKind, await store.get(AccessGroupKind, ref), reconciler);
  expect(applied).toBe(1);
});

it('leaves a change that arrived in the meantime to the watch', async () => {
  const { deps, store, group } = await createGroup();
  await store.replace(AccessGroupKind, { ...group, spec: { ...group.spec, role: 'viewer' } });
  await reconcileAccessGroup(deps, group);
  const found = await store.get(AccessGroupKind, ref);
  expect(isReconciled(found)).toBe(false);
  expect(found.status).toBeUndefined();
  await reconcileAccessGroup(deps, found);
  expect(isReconciled(await store.get(AccessGroupKind, ref))).toBe(true);
});

it('marks an accepted spec as accepted after a process ended before it did', async () => {
  const { deps, store, group } = await createGroup();
  const reject = async () => {
    throw invalid('Not yet.');
  };
  await reconcileSpec(deps, AccessGroupKind, group, { assertValid: reject });
  const replace: typeof store.replace = async (kind, object) => {
    await store.replace(kind, object);
    throw new Error('The process ends.');
  };
  const rejected = await store.get(AccessGroupKind, ref);
  await expect(
    reconcileSpec({ ...deps, store: { ...store, replace } }, AccessGroupKind, rejected, {
      assertValid: async () => {},
    }),
  ).rejects.toThrow('ends');
  const interrupted = await store.get(AccessGroupKind, ref);
  let followed = 0;
  const reconciler = { assertValid: reject, follow: async () => void (followed += 1) };
  // Another process may be at work.
  await reconcileSpec(deps, AccessGroupKind, interrupted, reconciler);
  expect(followed).toBe(0);
  const later = { ...deps, now: () => new Date('2027-01-01T00:01:00Z') };
  await reconcileSpec(later, AccessGroupKind, interrupted, reconciler);
  expect(followed).toBe(1);
  const finished = await store.get(AccessGroupKind, ref);
  expect(finished.status?.conditions).toMatchObject([{ status: 'True' }]);
  await reconcileSpec(later, AccessGroupKind, finished, reconciler);
  expect(followed).toBe(1);
});

it('keeps the finalizers and annotations of others, and adds its own once', async () => {
  const { deps, store, group } = await createGroup();
  const metadata = { ...group.metadata, finalizers: ['a/b', 'c/d'], annotations: { note: 'kept' } };
  const marked = await store.replace(AccessGroupKind, { ...group, metadata });
  await reconcileSpec(deps, AccessGroupKind, marked, { assertValid: async () => {}, finalizer: 'a/b' });
  const found = await store.get(AccessGroupKind, ref);
  expect(found.metadata.finalizers).toEqual(['a/b', 'c/d']);
  expect(found.metadata.annotations).toMatchObject({ note: 'kept' });
  expect(found.status?.conditions).toMatchObject([{ status: 'True' }]);
});

it('has no effect on an object that is gone or being deleted, and tries again when the store fails', async () => {
  const { deps, store, group } = await createGroup();
  const replace = async () => {
    throw new Error('The store is unavailable.');
  };
  const reconciler = { assertValid: async () => {} };
  await expect(
    reconcileSpec({ ...deps, store: { ...store, replace } }, AccessGroupKind, group, reconciler),
  ).rejects.toThrow('unavailable');
  await store.delete(AccessGroupKind, ref);
  await expect(reconcileSpec(deps, AccessGroupKind, group, reconciler)).resolves.toBeUndefined();
  const deleted = { ...group, metadata: { ...group.metadata, deletionTimestamp: '2027-01-01T00:00:00Z' } };
  let applied = 0;
  await reconcileSpec(deps, AccessGroupKind, deleted, { ...reconciler, apply: async () => void (applied += 1) });
  expect(applied).toBe(0);
});
