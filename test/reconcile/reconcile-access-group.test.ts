import { expect, it } from 'vitest';
import { reconcileAccessGroup } from '../../src/reconcile/reconcile-access-group.ts';
import { AccessGroupKind, type AccessGroupSpec } from '../../src/rules/access/kinds.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

async function apply(spec: AccessGroupSpec, namespace = 'org-acme') {
  const { deps, store } = await createReconcileDeps();
  const metadata = { namespace, name: 'ops' };
  await reconcileAccessGroup(deps, await store.create(AccessGroupKind, { metadata, spec }));
  return (await store.get(AccessGroupKind, metadata)).status?.conditions?.[0];
}
const spec: AccessGroupSpec = { name: 'ops', role: 'member', members: ['ada@example.com'] };

it('accepts a group whose names are equal', async () => {
  expect(await apply(spec)).toMatchObject({ status: 'True' });
});

it('rejects a group with another name in its spec, with invalid members, or of no org', async () => {
  expect(await apply({ ...spec, name: 'admins' })).toMatchObject({
    status: 'False',
    message: expect.stringContaining('/spec/name must be "ops"'),
  });
  expect(await apply({ ...spec, members: ['ada'] })).toMatchObject({
    message: expect.stringContaining('/spec/members/0'),
  });
  expect(await apply(spec, 'org-unknown')).toMatchObject({ status: 'False' });
});
