import { expect, it } from 'vitest';
import { recordKinds } from '../../src/reconcile/record-kinds.ts';
import { customResourceKinds } from '../../src/rules/custom-resource-kinds.ts';
import type { AnyResourceKind, StoredObject } from '../../src/rules/resource.ts';
import { acceptedCreates } from '../../src/store/accepted-creates.ts';
import type { Store } from '../../src/store/store.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

type Record = { kind: AnyResourceKind; reject: (deps: object, object: StoredObject) => Promise<void> };
const records = Object.values(recordKinds) as unknown as Record[];
const ref = { namespace: 'org-acme', name: 'thing' };

async function apply({ kind, reject }: Record, wrap: (store: Store) => Store) {
  const { deps, store } = await createReconcileDeps();
  const created = await wrap(store).create(kind, { metadata: ref, spec: {} } as never);
  await reject(deps, created);
  await reject(deps, created);
  const found = await store.get(kind, ref);
  return (found as { status?: { conditions?: { status: string; message: string }[] } }).status;
}

it.each(records)('says in a valid status why $kind.kind has no effect', async (record) => {
  const status = await apply(record, (store) => store);
  expect(record.kind.statusSchema.parse(status)).toEqual(status);
  expect(status?.conditions).toEqual([
    expect.objectContaining({
      type: 'Accepted',
      status: 'False',
      message: expect.stringMatching(/has no effect.* Delete it, and /),
    }),
  ]);
  expect(await apply(record, acceptedCreates)).toBeUndefined();
});

it('has no effect on a record that is gone or being deleted', async () => {
  const [record] = records;
  if (!record) throw new Error('There is no record.');
  const { deps, store } = await createReconcileDeps();
  const held = { metadata: { ...ref, finalizers: ['service.delivery/hold'] }, spec: {} } as never;
  const created = await store.create(record.kind, held);
  await store.delete(record.kind, ref);
  const deleting = await store.get(record.kind, ref);
  await record.reject(deps, deleting);
  expect(await store.get(record.kind, ref)).toEqual(deleting);
  await store.replace(record.kind, { ...deleting, metadata: { ...deleting.metadata, finalizers: [] } });
  await expect(record.reject(deps, created)).resolves.toBeUndefined();
});

it('covers each kind that is not reconciled', () => {
  const reconciled = [
    'AccessGroup',
    'AgentRole',
    'AgentWorkflow',
    'CloudAccount',
    'Cluster',
    'IdentityProvider',
    'Installation',
    'Organization',
    'Product',
    'User',
  ];
  const rejected = records.map(({ kind }) => kind.kind);
  expect([...reconciled, ...rejected].toSorted()).toEqual(customResourceKinds.map(({ kind }) => kind).toSorted());
});
