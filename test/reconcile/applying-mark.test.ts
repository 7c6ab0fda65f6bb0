import { expect, it } from 'vitest';
import { applyingMark, finishApplying } from '../../src/reconcile/applying-mark.ts';
import { isBeingApplied } from '../../src/rules/conditions.ts';
import { type Product, ProductKind } from '../../src/rules/products/kinds.ts';
import { openTestStore } from '../support/open-test-store.ts';

const ref = { namespace: 'org-acme', name: 'shop' };
const mark = applyingMark(new Date('2027-01-01T00:00:00Z'));

async function createMarked() {
  const store = openTestStore();
  const spec = { repos: [], delivery: { zones: [] } };
  const object = await store.create(ProductKind, {
    metadata: { ...ref, annotations: { note: 'kept', ...mark } },
    spec,
  });
  const finish = async (follow: () => Promise<void> = async () => {}): Promise<Product> =>
    await finishApplying(store, { kind: ProductKind, object, follow });
  return { store, object, finish, read: async () => await store.get(ProductKind, ref) };
}

it('removes the mark when all is done, and returns the version without it', async () => {
  const { store, finish, read } = await createMarked();
  // The workflow of a zone records its status meanwhile.
  const finished = await finish(async () => void (await store.updateStatus(ProductKind, ref, () => ({ zones: [] }))));
  expect(finished.metadata.annotations).toEqual({ note: 'kept' });
  expect(await read()).toEqual(finished);
});

it('keeps the mark when it fails', async () => {
  const { finish, read } = await createMarked();
  const fail = async () => {
    throw new Error('The workflow server is away.');
  };
  await expect(finish(fail)).rejects.toThrow('away');
  expect(isBeingApplied(await read())).toBe(true);
});

it('keeps the mark of a later spec, and returns its own version', async () => {
  const { store, object, finish, read } = await createMarked();
  const metadata = { ...object.metadata, annotations: applyingMark(new Date('2027-01-01T00:00:01Z')) };
  const changed = await store.replace(ProductKind, {
    ...object,
    metadata,
    spec: { ...object.spec, displayName: 'Shop' },
  });
  expect(await finish()).toEqual(object);
  expect(await read()).toEqual(changed);
});

it('keeps the mark of a later save of the same spec', async () => {
  const { store, object, finish, read } = await createMarked();
  const metadata = { ...object.metadata, annotations: applyingMark(new Date('2027-01-01T00:00:01Z')) };
  const saved = await store.replace(ProductKind, { ...object, metadata });
  await finish();
  expect(await read()).toEqual(saved);
});

it('keeps the mark of an earlier request, which did not do what follows from its own change', async () => {
  const { store, object, read } = await createMarked();
  const own = applyingMark(new Date('2027-01-01T00:00:01Z'));
  const finish = async (one: Product) =>
    await finishApplying(store, { kind: ProductKind, object: one, mark: own, follow: async () => {} });
  await finish(object);
  expect(await read()).toEqual(object);
  const metadata = { ...object.metadata, annotations: own };
  await finish(await store.replace(ProductKind, { ...object, metadata }));
  expect(isBeingApplied(await read())).toBe(false);
});

it('leaves an object alone that is gone, or that was created again', async () => {
  const { store, object, finish, read } = await createMarked();
  await store.delete(ProductKind, ref);
  expect(await finish()).toEqual(object);
  const metadata = { ...ref, annotations: mark };
  const created = await store.create(ProductKind, { metadata, spec: object.spec });
  expect(await finish()).toEqual(object);
  expect(await read()).toEqual(created);
});

it('removes the mark after others have written meanwhile', async () => {
  const { store, object, read } = await createMarked();
  let conflicts = 0;
  const replace: typeof store.replace = async (kind, next) => {
    conflicts += 1;
    if (conflicts === 1) await store.updateStatus(ProductKind, ref, () => ({ zones: [{ name: 'shop-rc' }] }));
    return await store.replace(kind, next);
  };
  await finishApplying({ ...store, replace }, { kind: ProductKind, object, follow: async () => {} });
  const found = await read();
  expect([conflicts, isBeingApplied(found), found.status?.zones]).toEqual([2, false, [{ name: 'shop-rc' }]]);
});
