import { expect, it } from 'vitest';
import { ConfigMapKind, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { ownerReference } from '../../../src/rules/resource.ts';
import type { Ref } from '../../../src/store/store.ts';
import { buildProbe, ProbeKind, expectError, withSize, type StoreHarness, type Probe } from './probe.ts';

const finalizer = 'service.delivery/hold';
/** The garbage collector of Kubernetes works in the background. */
export function describeDeleting({ getOpened, createNamespaceName }: StoreHarness): void {
  const add = (namespace: string, name: string, settings = {}): Promise<Probe> =>
    getOpened().store.create(ProbeKind, buildProbe(namespace, name, settings));
  const find = (ref: Ref): Promise<Probe | undefined> => getOpened().store.find(ProbeKind, ref);
  const release = (probe: Probe): Promise<Probe> =>
    getOpened().store.replace(ProbeKind, { ...probe, metadata: { ...probe.metadata, finalizers: [] } });

  it('deletes an object once, and frees its name', async () => {
    const { store } = getOpened();
    const { metadata } = await add(await createNamespaceName(), 'a');
    await store.delete(ProbeKind, metadata);
    expect(await find(metadata)).toBeUndefined();
    await expectError('not-found', store.delete(ProbeKind, metadata));
    expect((await add(metadata.namespace, 'a')).metadata.uid).not.toBe(metadata.uid);
  });

  it('rejects a delete with a stale version', async () => {
    const { store } = getOpened();
    const created = await add(await createNamespaceName(), 'a');
    const current = await store.replace(ProbeKind, withSize(created, 2));
    const { resourceVersion } = created.metadata;
    await expectError('conflict', store.delete(ProbeKind, created.metadata, { resourceVersion }));
    expect(await find(created.metadata)).toEqual(current);
    await store.delete(ProbeKind, created.metadata, { resourceVersion: current.metadata.resourceVersion });
    expect(await find(created.metadata)).toBeUndefined();
  });

  it('only marks an object with finalizers until the last one is removed', async () => {
    const { store } = getOpened();
    const created = await add(await createNamespaceName(), 'a', { finalizers: [finalizer, 'service.delivery/other'] });
    await store.delete(ProbeKind, created.metadata);
    const marked = await store.get(ProbeKind, created.metadata);
    expect(marked.metadata.deletionTimestamp).toMatch(/^\d{4}-/);
    await store.delete(ProbeKind, created.metadata);
    expect(await find(created.metadata)).toEqual(marked);
    await expectError('conflict', store.create(ProbeKind, buildProbe(created.metadata.namespace, 'a')));
    const updated = await store.updateStatus(ProbeKind, created.metadata, () => ({ count: 1 }));
    const half = await store.replace(ProbeKind, {
      ...updated,
      metadata: { ...updated.metadata, finalizers: [finalizer] },
    });
    expect((await find(created.metadata))?.metadata.finalizers).toEqual([finalizer]);
    await release(half);
    expect(await find(created.metadata)).toBeUndefined();
  });

  it('marks an object that got its finalizer after its creation', async () => {
    const { store } = getOpened();
    const created = await add(await createNamespaceName(), 'a');
    const held = await store.replace(ProbeKind, {
      ...created,
      metadata: { ...created.metadata, finalizers: [finalizer] },
    });
    expect(held.metadata).toMatchObject({ finalizers: [finalizer], generation: 1 });
    await store.delete(ProbeKind, created.metadata);
    expect((await store.get(ProbeKind, created.metadata)).metadata.deletionTimestamp).toBeDefined();
  });

  it('deletes a namespace with everything in it, which waits for finalizers and can be used again', async () => {
    const { store } = getOpened();
    const [namespace, other] = [await createNamespaceName(), await createNamespaceName()];
    expect(await store.deleteNamespace(namespace)).toEqual([]);
    const owner = await add(namespace, 'a');
    await add(namespace, 'b', { owners: [owner] });
    const held = await add(namespace, 'c', { finalizers: [finalizer] });
    await store.create(ConfigMapKind, { metadata: { namespace, name: 'settings' }, data: { key: 'value' } });
    const kept = await add(other, 'a');
    expect((await store.deleteNamespace(namespace)).join()).not.toBe('');
    await expect
      .poll(async () => (await store.list(ProbeKind, { namespace })).items.map(({ metadata }) => metadata.name))
      .toEqual(['c']);
    await expect.poll(async () => await find(held.metadata)).toHaveProperty('metadata.deletionTimestamp');
    await release(await store.get(ProbeKind, held.metadata));
    await expect.poll(async () => await store.deleteNamespace(namespace)).toEqual([]);
    expect((await store.list(ConfigMapKind, { namespace })).items).not.toContainEqual(
      expect.objectContaining({ data: { key: 'value' } }),
    );
    expect(await find(kept.metadata)).toEqual(kept);
    expect((await add(namespace, 'a')).metadata.uid).not.toBe(owner.metadata.uid);
  });

  it('rejects a new finalizer during deletion, and ignores a removed deletion timestamp', async () => {
    const { store } = getOpened();
    const created = await add(await createNamespaceName(), 'a', { finalizers: [finalizer] });
    await store.delete(ProbeKind, created.metadata);
    const marked = await store.get(ProbeKind, created.metadata);
    const finalizers = [finalizer, 'service.delivery/late'];
    await expectError('invalid', store.replace(ProbeKind, { ...marked, metadata: { ...marked.metadata, finalizers } }));
    const { deletionTimestamp, ...unmarked } = marked.metadata;
    const replaced: Probe = await store.replace<Probe>(ProbeKind, { ...withSize(marked, 2), metadata: unmarked });
    expect(replaced.metadata.deletionTimestamp).toBe(deletionTimestamp);
  });

  it('keeps an object whose last finalizer is removed without a delete', async () => {
    const created = await add(await createNamespaceName(), 'a', { finalizers: [finalizer] });
    const released = await release(created);
    expect(await find(created.metadata)).toEqual(released);
  });

  it('deletes owned objects of every kind, recursively', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const owner = await add(namespace, 'owner');
    const child = await add(namespace, 'child', { owners: [owner] });
    const grandchild = await add(namespace, 'grandchild', { owners: [child, owner] });
    const metadata = { namespace, name: 'file', ownerReferences: [ownerReference(grandchild)] };
    await store.create(ConfigMapKind, { metadata });
    await store.create(SecretKind, { metadata: { namespace, name: 'not-owned' }, data: {} });
    const { resourceVersion } = await store.list(ProbeKind, { namespace });
    await store.delete(ProbeKind, owner.metadata);
    await expect.poll(() => store.find(ConfigMapKind, metadata)).toBeUndefined();
    expect(await store.list(ProbeKind, { namespace })).toMatchObject({ items: [] });
    expect(await store.find(SecretKind, { namespace, name: 'not-owned' })).toBeDefined();
    // The last probe marks the end of the events, so duplicates before it are detected.
    await add(namespace, 'last');
    const events: string[] = [];
    for await (const { type, object } of store.watch(ProbeKind, {
      namespace,
      resourceVersion,
      signal: AbortSignal.timeout(60_000),
    })) {
      if (object.metadata.name === 'last') break;
      // The garbage collector may first remove the missing owner from an object with several owners.
      if (type !== 'MODIFIED') events.push(`${type} ${object.metadata.name}`);
    }
    expect(events.toSorted()).toEqual(['DELETED child', 'DELETED grandchild', 'DELETED owner']);
  });

  it('keeps an object until all its owners are deleted', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const owners = [await add(namespace, 'one'), await add(namespace, 'two')];
    const shared = await add(namespace, 'shared', { owners });
    const only = await add(namespace, 'only', { owners: owners.slice(0, 1) });
    await store.delete(ProbeKind, { namespace, name: 'one' });
    await expect.poll(() => find(only.metadata)).toBeUndefined();
    expect((await find(shared.metadata))?.metadata.uid).toBe(shared.metadata.uid);
    await store.delete(ProbeKind, { namespace, name: 'two' });
    await expect.poll(() => find(shared.metadata)).toBeUndefined();
  });

  it('does not treat a new object with the same name as the owner', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const first = await add(namespace, 'owner');
    await store.delete(ProbeKind, first.metadata);
    const second = await add(namespace, 'owner');
    const owned = await add(namespace, 'owned', { owners: [second] });
    const orphan = await add(namespace, 'orphan', { owners: [first] });
    await expect.poll(() => find(orphan.metadata)).toBeUndefined();
    expect(await find(owned.metadata)).toEqual(owned);
  });

  it('respects owner references that are added or removed later', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const owner = await add(namespace, 'owner');
    const [late, freed] = [await add(namespace, 'late'), await add(namespace, 'freed', { owners: [owner] })];
    const ownerReferences = [ownerReference(owner)];
    await store.replace(ProbeKind, { ...late, metadata: { ...late.metadata, ownerReferences } });
    await store.replace(ProbeKind, { ...freed, metadata: { ...freed.metadata, ownerReferences: [] } });
    await store.delete(ProbeKind, owner.metadata);
    await expect.poll(() => find(late.metadata)).toBeUndefined();
    expect(await find(freed.metadata)).toBeDefined();
  });

  it('respects finalizers of the owner and of owned objects', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const owner = await add(namespace, 'owner', { finalizers: [finalizer] });
    const held = await add(namespace, 'held', { owners: [owner], finalizers: [finalizer] });
    const below = await add(namespace, 'below', { owners: [held] });
    await store.delete(ProbeKind, owner.metadata);
    expect((await find(held.metadata))?.metadata).not.toHaveProperty('deletionTimestamp');
    await release(await store.get(ProbeKind, owner.metadata));
    await expect.poll(async () => (await find(held.metadata))?.metadata.deletionTimestamp).toBeDefined();
    expect(await find(below.metadata)).toBeDefined();
    await release(await store.get(ProbeKind, held.metadata));
    await expect.poll(() => find(below.metadata)).toBeUndefined();
    expect(await find(held.metadata)).toBeUndefined();
  });
}
