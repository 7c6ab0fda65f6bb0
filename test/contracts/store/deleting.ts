import { expect, it } from 'vitest';
import { ConfigMapKind, SecretKind } from '../../../src/rules/core-kinds.ts';
import { ownerReference } from '../../../src/rules/resource.ts';
import type { Ref } from '../../../src/store/store.ts';
import { aProbe, ProbeKind, refusal, withSize, type Harness, type Probe } from './probe.ts';

const finalizer = 'service.delivery/hold';
/** A Kubernetes garbage collector works in the background. */
const patience = { timeout: 30_000 };

export function deletingContract({ opened, space }: Harness): void {
  const add = (namespace: string, name: string, settings = {}): Promise<Probe> =>
    opened().store.create(ProbeKind, aProbe(namespace, name, settings));
  const find = (ref: Ref): Promise<Probe | undefined> => opened().store.find(ProbeKind, ref);
  const release = (probe: Probe): Promise<Probe> =>
    opened().store.replace(ProbeKind, { ...probe, metadata: { ...probe.metadata, finalizers: [] } });

  it('deletes once, and the name is free again for another object', async () => {
    const { store } = opened();
    const { metadata } = await add(await space(), 'a');
    await store.delete(ProbeKind, metadata);
    expect(await find(metadata)).toBeUndefined();
    await refusal('not-found', store.delete(ProbeKind, metadata));
    expect((await add(metadata.namespace, 'a')).metadata.uid).not.toBe(metadata.uid);
  });

  it('refuses to delete another version than the one that is given', async () => {
    const { store } = opened();
    const created = await add(await space(), 'a');
    const current = await store.replace(ProbeKind, withSize(created, 2));
    const { resourceVersion } = created.metadata;
    await refusal('conflict', store.delete(ProbeKind, created.metadata, { resourceVersion }));
    expect(await find(created.metadata)).toEqual(current);
    await store.delete(ProbeKind, created.metadata, { resourceVersion: current.metadata.resourceVersion });
    expect(await find(created.metadata)).toBeUndefined();
  });

  it('only marks an object with finalizers until the last of them is removed', async () => {
    const { store } = opened();
    const created = await add(await space(), 'a', { finalizers: [finalizer, 'service.delivery/other'] });
    await store.delete(ProbeKind, created.metadata);
    const marked = await store.get(ProbeKind, created.metadata);
    expect(marked.metadata.deletionTimestamp).toMatch(/^\d{4}-/);
    await store.delete(ProbeKind, created.metadata);
    expect(await find(created.metadata)).toEqual(marked);
    await refusal('conflict', store.create(ProbeKind, aProbe(created.metadata.namespace, 'a')));
    const updated = await store.updateStatus(ProbeKind, created.metadata, () => ({ count: 1 }));
    const half = await store.replace(ProbeKind, {
      ...updated,
      metadata: { ...updated.metadata, finalizers: [finalizer] },
    });
    expect((await find(created.metadata))?.metadata.finalizers).toEqual([finalizer]);
    await release(half);
    expect(await find(created.metadata)).toBeUndefined();
  });

  it('takes no new finalizer on an object that is being deleted, and nobody can unmark it', async () => {
    const { store } = opened();
    const created = await add(await space(), 'a', { finalizers: [finalizer] });
    await store.delete(ProbeKind, created.metadata);
    const marked = await store.get(ProbeKind, created.metadata);
    const finalizers = [finalizer, 'service.delivery/late'];
    await refusal('invalid', store.replace(ProbeKind, { ...marked, metadata: { ...marked.metadata, finalizers } }));
    const { deletionTimestamp, ...unmarked } = marked.metadata;
    const replaced: Probe = await store.replace<Probe>(ProbeKind, { ...withSize(marked, 2), metadata: unmarked });
    expect(replaced.metadata.deletionTimestamp).toBe(deletionTimestamp);
  });

  it('an object without finalizers left but not deleted stays', async () => {
    const created = await add(await space(), 'a', { finalizers: [finalizer] });
    const released = await release(created);
    expect(await find(created.metadata)).toEqual(released);
  });

  it('deletes what the object owns, of every kind and through all generations', async () => {
    const { store } = opened();
    const namespace = await space();
    const owner = await add(namespace, 'owner');
    const child = await add(namespace, 'child', { owners: [owner] });
    const grandchild = await add(namespace, 'grandchild', { owners: [child, owner] });
    const metadata = { namespace, name: 'file', ownerReferences: [ownerReference(grandchild)] };
    await store.create(ConfigMapKind, { metadata });
    await store.create(SecretKind, { metadata: { namespace, name: 'not-owned' }, data: {} });
    const { resourceVersion } = await store.list(ProbeKind, { namespace });
    await store.delete(ProbeKind, owner.metadata);
    await expect.poll(() => store.find(ConfigMapKind, metadata), patience).toBeUndefined();
    expect(await store.list(ProbeKind, { namespace })).toMatchObject({ items: [] });
    expect(await store.find(SecretKind, { namespace, name: 'not-owned' })).toBeDefined();
    // The probe made last shows that nothing was reported twice before it.
    await add(namespace, 'last');
    const events: string[] = [];
    for await (const { type, object } of store.watch(ProbeKind, {
      namespace,
      resourceVersion,
      signal: AbortSignal.timeout(10_000),
    })) {
      if (object.metadata.name === 'last') break;
      // A garbage collector may first take the owner that is gone off what has another one.
      if (type !== 'MODIFIED') events.push(`${type} ${object.metadata.name}`);
    }
    expect(events.toSorted()).toEqual(['DELETED child', 'DELETED grandchild', 'DELETED owner']);
  });

  it('keeps what still has another owner until that goes too', async () => {
    const { store } = opened();
    const namespace = await space();
    const owners = [await add(namespace, 'one'), await add(namespace, 'two')];
    const shared = await add(namespace, 'shared', { owners });
    const only = await add(namespace, 'only', { owners: owners.slice(0, 1) });
    await store.delete(ProbeKind, { namespace, name: 'one' });
    await expect.poll(() => find(only.metadata), patience).toBeUndefined();
    expect((await find(shared.metadata))?.metadata.uid).toBe(shared.metadata.uid);
    await store.delete(ProbeKind, { namespace, name: 'two' });
    await expect.poll(() => find(shared.metadata), patience).toBeUndefined();
  });

  it('does not take an object of the same name for the owner', async () => {
    const { store } = opened();
    const namespace = await space();
    const first = await add(namespace, 'owner');
    await store.delete(ProbeKind, first.metadata);
    const second = await add(namespace, 'owner');
    const owned = await add(namespace, 'owned', { owners: [second] });
    const orphan = await add(namespace, 'orphan', { owners: [first] });
    await expect.poll(() => find(orphan.metadata), patience).toBeUndefined();
    expect(await find(owned.metadata)).toEqual(owned);
  });

  it('follows an ownership that was given later, and forgets one that was taken back', async () => {
    const { store } = opened();
    const namespace = await space();
    const owner = await add(namespace, 'owner');
    const [late, freed] = [await add(namespace, 'late'), await add(namespace, 'freed', { owners: [owner] })];
    const ownerReferences = [ownerReference(owner)];
    await store.replace(ProbeKind, { ...late, metadata: { ...late.metadata, ownerReferences } });
    await store.replace(ProbeKind, { ...freed, metadata: { ...freed.metadata, ownerReferences: [] } });
    await store.delete(ProbeKind, owner.metadata);
    await expect.poll(() => find(late.metadata), patience).toBeUndefined();
    expect(await find(freed.metadata)).toBeDefined();
  });

  it('honours finalizers of the owner and of the owned', async () => {
    const { store } = opened();
    const namespace = await space();
    const owner = await add(namespace, 'owner', { finalizers: [finalizer] });
    const held = await add(namespace, 'held', { owners: [owner], finalizers: [finalizer] });
    const below = await add(namespace, 'below', { owners: [held] });
    await store.delete(ProbeKind, owner.metadata);
    expect((await find(held.metadata))?.metadata).not.toHaveProperty('deletionTimestamp');
    await release(await store.get(ProbeKind, owner.metadata));
    await expect.poll(async () => (await find(held.metadata))?.metadata.deletionTimestamp, patience).toBeDefined();
    expect(await find(below.metadata)).toBeDefined();
    await release(await store.get(ProbeKind, held.metadata));
    await expect.poll(() => find(below.metadata), patience).toBeUndefined();
    expect(await find(held.metadata)).toBeUndefined();
  });
}
