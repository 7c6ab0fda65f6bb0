import { expect, it } from 'vitest';
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
