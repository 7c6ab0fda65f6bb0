import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ConfigMapKind, SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { apiVersion, ownerReference, restoredUidAnnotation } from '../../../src/rules/resource.ts';
import { buildProbe, ProbeKind, expectError, withSize, type StoreHarness, type Probe } from './probe.ts';

export function describeWriting({ getOpened, createNamespaceName }: StoreHarness): void {
  describe('create', () => {
    describeCreate({ getOpened, createNamespaceName });
  });
  describe('replace', () => {
    describeReplace({ getOpened, createNamespaceName });
  });
  describe('updateStatus', () => {
    describeUpdateStatus({ getOpened, createNamespaceName });
  });

  describe('restore', () => {
    it('creates an object with its status, owned by the restored owner', async () => {
      const { store } = getOpened();
      const namespace = await createNamespaceName();
      const { metadata } = await store.create(ProbeKind, buildProbe(namespace, 'owner', { labels: { tier: 'web' } }));
      const owner = await store.updateStatus(ProbeKind, metadata, () => ({ count: 3 }));
      const owned = await store.create(ProbeKind, buildProbe(namespace, 'owned', { owners: [owner] }));
      await store.delete(ProbeKind, metadata);
      await expect.poll(async () => (await store.list(ProbeKind, { namespace })).items).toEqual([]);

      const restored = await store.restore(ProbeKind, owner);
      expect(restored).toMatchObject({ spec: owner.spec, status: { count: 3 }, metadata: { labels: { tier: 'web' } } });
      expect([restored.metadata.uid, restored.metadata.annotations?.[restoredUidAnnotation]]).toContain(metadata.uid);
      expect(await store.get(ProbeKind, metadata)).toEqual(restored);
      const ownerReferences = [ownerReference(restored)];
      const child = await store.restore(ProbeKind, { ...owned, metadata: { ...owned.metadata, ownerReferences } });
      expect(child.metadata.ownerReferences).toMatchObject([{ uid: restored.metadata.uid }]);
      await store.delete(ProbeKind, metadata);
      await expect.poll(async () => await store.find(ProbeKind, child.metadata)).toBeUndefined();
    });

    it('continues the deletion of an object that was being deleted', async () => {
      const { store } = getOpened();
      const finalizers = ['service.delivery/hold'];
      const { metadata } = await store.create(
        ProbeKind,
        buildProbe(await createNamespaceName(), 'held', { finalizers }),
      );
      await store.delete(ProbeKind, metadata);
      const archived = await store.updateStatus(ProbeKind, metadata, () => ({ count: 3 }));
      await store.replace(ProbeKind, { ...archived, metadata: { ...archived.metadata, finalizers: [] } });

      const { status: _, ...withoutStatus } = archived;
      for (const probe of [archived, withoutStatus as Probe]) {
        const restored = await store.restore(ProbeKind, probe);
        expect(restored.metadata).toMatchObject({ finalizers, deletionTimestamp: expect.any(String) });
        expect(restored.status).toEqual(probe.status);
        expect(await store.get(ProbeKind, metadata)).toEqual(restored);
        await store.replace(ProbeKind, { ...restored, metadata: { ...restored.metadata, finalizers: [] } });
        expect(await store.find(ProbeKind, metadata)).toBeUndefined();
      }
      const { finalizers: __, ...unheld } = archived.metadata;
      await store.restore(ProbeKind, { ...archived, metadata: unheld });
      expect(await store.find(ProbeKind, metadata)).toBeUndefined();
    });

    it('rejects a name that is taken, and what create rejects', async () => {
      const { store } = getOpened();
      const probe = await store.create(ProbeKind, buildProbe(await createNamespaceName(), 'a'));
      await expectError('conflict', store.restore(ProbeKind, probe));
      expect(await store.get(ProbeKind, probe.metadata)).toEqual(probe);
      const invalid = { ...probe, metadata: { ...probe.metadata, name: '../x' } };
      await expectError('invalid', store.restore(ProbeKind, invalid));
    });
  });

  describe('put', () => {
    it('creates an object, and overwrites it without its version', async () => {
      const { store } = getOpened();
      const metadata = { namespace: await createNamespaceName(), name: 'token' };
      const secret = (text: string, labels = {}) => ({
        metadata: { ...metadata, labels },
        data: toSecretData({ text }),
      });
      await Promise.all(['a', 'b', 'c'].map(async (text) => await store.put(SecretKind, secret(text))));
      const created = await store.get(SecretKind, metadata);
      await store.replace(SecretKind, { ...created, data: toSecretData({ text: 'other', more: 'x' }) });
      await store.put(SecretKind, secret('last', { tier: 'web' }));
      const overwritten = await store.get(SecretKind, metadata);
      expect(overwritten).toMatchObject({
        data: toSecretData({ text: 'last' }),
        metadata: { labels: { tier: 'web' } },
      });
      expect(Object.keys(overwritten.data ?? {})).toEqual(['text']);
      expect(overwritten.metadata.uid).toBe(created.metadata.uid);
    });

    it('rejects what create rejects', async () => {
      const metadata = { namespace: await createNamespaceName(), name: 'a' };
      const secret = { metadata, data: { key: 'a plain word' } };
      const { pointers } = await expectError('invalid', getOpened().store.put(SecretKind, secret));
      expect(pointers).toEqual(['/data/key']);
    });
  });

  it('keeps binary data of Secrets and ConfigMaps unchanged', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const bytes = randomBytes(300_001).toString('base64');
    const metadata = { namespace, name: 'files' };
    await store.create(SecretKind, { metadata, type: 'Opaque', data: { 'key.pem': bytes } });
    await store.create(ConfigMapKind, { metadata, data: { 'a.txt': 'é\u2028"\n' }, binaryData: { 'b.png': bytes } });
    expect(await store.get(SecretKind, metadata)).toMatchObject({ type: 'Opaque', data: { 'key.pem': bytes } });
    const read = await store.get(ConfigMapKind, metadata);
    expect(read).toMatchObject({ data: { 'a.txt': 'é\u2028"\n' }, binaryData: { 'b.png': bytes } });
    await store.replace(ConfigMapKind, { ...read, data: { 'a.txt': 'changed' } });
    const replaced = await store.get(ConfigMapKind, metadata);
    expect(replaced.data).toEqual({ 'a.txt': 'changed' });
    expect(replaced.metadata.generation).toBe(read.metadata.generation);
  });

  it('returns accepted writes from another store on the same data', async ({ skip }) => {
    const { store, reopen } = getOpened();
    if (!reopen) {
      skip();
      return;
    }
    const created = await store.create(ProbeKind, buildProbe(await createNamespaceName(), 'kept'));
    const other = await reopen();
    expect(await other.get(ProbeKind, created.metadata)).toEqual(created);
    await other.close();
  });
}

function describeCreate({ getOpened, createNamespaceName }: StoreHarness): void {
  it('fills in the generated metadata and returns the stored object', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const created = await store.create(
      ProbeKind,
      buildProbe(namespace, 'a', { labels: { tier: 'web' }, annotations: {} }),
    );
    const { metadata } = created;
    expect(created).toMatchObject({ apiVersion, kind: 'Probe', spec: { product: 'shop', size: 1 } });
    expect(metadata).toMatchObject({ namespace, name: 'a', generation: 1, labels: { tier: 'web' } });
    expect(metadata).not.toHaveProperty('annotations');
    expect(metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(Math.abs(Date.parse(metadata.creationTimestamp) - Date.now())).toBeLessThan(60_000);
    expect(await store.get(ProbeKind, metadata)).toEqual(created);
    expect(await store.find(ProbeKind, metadata)).toEqual(created);
  });

  it('ignores generated metadata and a status of the caller', async () => {
    const { store } = getOpened();
    const given = buildProbe(await createNamespaceName(), 'a');
    const forged = { uid: 'mine', generation: 9, creationTimestamp: '2001-01-01T00:00:00Z' };
    const created = await store.create(ProbeKind, {
      ...given,
      metadata: { ...given.metadata, ...forged },
      status: { count: 7 },
    });
    expect(created).not.toHaveProperty('status');
    expect(created.metadata).not.toMatchObject({ uid: 'mine' });
    expect(created.metadata.generation).toBe(1);
    expect(created.metadata.creationTimestamp).not.toMatch(/^2001/);
  });

  it('rejects a taken name, and accepts one of ten concurrent creates', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => store.create(ProbeKind, buildProbe(namespace, 'one'))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { message } = await expectError('conflict', store.create(ProbeKind, buildProbe(namespace, 'one')));
    expect(message).toContain('Probe "one" already exists in org "');
  });

  it('allows the same name in other kinds and namespaces', async () => {
    const { store } = getOpened();
    const [one, other] = [await createNamespaceName(), await createNamespaceName()];
    await store.create(ProbeKind, buildProbe(one, 'same'));
    await store.create(ProbeKind, buildProbe(other, 'same', { spec: { size: 2 } }));
    await store.create(ConfigMapKind, { metadata: { namespace: one, name: 'same' } });
    expect((await store.get(ProbeKind, { namespace: other, name: 'same' })).spec.size).toBe(2);
    expect(await store.find(SecretKind, { namespace: one, name: 'same' })).toBeUndefined();
  });

  it.each(['', 'Upper', 'a_b', '-a', 'a-', 'a..b', 'a/b', 'ä', 'x'.repeat(254)])(
    'rejects the name %j',
    async (name) => {
      const { pointers } = await expectError(
        'invalid',
        getOpened().store.create(ProbeKind, buildProbe(await createNamespaceName(), name)),
      );
      expect(pointers).toContain('/metadata/name');
    },
  );

  it('accepts names with dots and names of 253 characters', async () => {
    const namespace = await createNamespaceName();
    for (const name of ['a.b-c.1', 'x'.repeat(253)]) {
      expect((await getOpened().store.create(ProbeKind, buildProbe(namespace, name))).metadata.name).toBe(name);
    }
  });

  it('names each invalid label', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const labels = { 'service.delivery/repo': 'acme/shop', 'a b': 'x' };
    const { pointers } = await expectError('invalid', store.create(ProbeKind, buildProbe(namespace, 'a', { labels })));
    expect(pointers).toEqual(['/metadata/labels/service.delivery~1repo', '/metadata/labels/a b']);
  });

  it('rejects data of a Secret that is not base64', async () => {
    const metadata = { namespace: await createNamespaceName(), name: 'a' };
    const { pointers } = await expectError(
      'invalid',
      getOpened().store.create(SecretKind, { metadata, data: { key: 'a plain word' } }),
    );
    expect(pointers).toEqual(['/data/key']);
  });

  it('rejects an object that is too large', async () => {
    const metadata = { namespace: await createNamespaceName(), name: 'a' };
    const data = { key: 'x'.repeat(2_000_000) };
    const { message } = await expectError('too-large', getOpened().store.create(ConfigMapKind, { metadata, data }));
    expect(message).toMatch(/^ConfigMap "a" /);
    expect(await getOpened().store.find(ConfigMapKind, metadata)).toBeUndefined();
  });

  it('names the missing object and its namespace', async () => {
    const { store } = getOpened();
    const namespace = await createNamespaceName();
    const { message } = await expectError('not-found', store.get(ProbeKind, { namespace, name: 'x' }));
    expect(message).toBe(`No Probe named "x" in org "${namespace.slice('org-'.length)}".`);
    const system = await expectError(
      'not-found',
      store.get(ProbeKind, { namespace: 'service-system', name: 'no-such' }),
    );
    expect(system.message).toBe('No Probe named "no-such" in the installation.');
    expect(await store.find(ProbeKind, { namespace, name: 'x' })).toBeUndefined();
    await expectError('not-found', store.delete(ProbeKind, { namespace, name: 'x' }));
    await expectError(
      'not-found',
      store.updateStatus(ProbeKind, { namespace, name: 'x' }, () => ({ count: 1 })),
    );
  });
}

function describeReplace({ getOpened, createNamespaceName }: StoreHarness): void {
  const create = async (settings = {}): Promise<Probe> =>
    getOpened().store.create(ProbeKind, buildProbe(await createNamespaceName(), 'a', settings));

  it('writes spec, labels and annotations, and increments generation only with the spec', async () => {
    const { store } = getOpened();
    const created = await create();
    const respecified = await store.replace(ProbeKind, withSize(created, 2));
    expect(respecified.metadata).toMatchObject({ uid: created.metadata.uid, generation: 2 });
    expect(respecified.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
    const metadata = { ...respecified.metadata, labels: { tier: 'web' }, annotations: { note: 'hi' } };
    const labelled = await store.replace(ProbeKind, { ...respecified, metadata });
    expect(labelled.metadata).toMatchObject({ generation: 2, labels: { tier: 'web' }, annotations: { note: 'hi' } });
    const cleared = await store.replace(ProbeKind, { ...labelled, metadata: { ...labelled.metadata, labels: {} } });
    expect(cleared.metadata).not.toHaveProperty('labels');
    expect(await store.get(ProbeKind, created.metadata)).toEqual(cleared);
  });

  it('leaves the status and the generated metadata unchanged', async () => {
    const { store } = getOpened();
    const created = await create();
    const current = await store.updateStatus(ProbeKind, created.metadata, () => ({ count: 3 }));
    const forged = { ...current.metadata, generation: 40, creationTimestamp: '2001-01-01T00:00:00Z' };
    const replaced = await store.replace(ProbeKind, {
      ...withSize(current, 5),
      metadata: forged,
      status: { count: 99 },
    });
    expect(replaced.status).toEqual({ count: 3 });
    expect(replaced.metadata).toMatchObject({ generation: 2, creationTimestamp: created.metadata.creationTimestamp });
    const { status: _, ...withoutStatus } = replaced;
    expect((await store.replace(ProbeKind, withSize(withoutStatus, 6))).status).toEqual({ count: 3 });
  });

  it('writes nothing when the object is equal', async () => {
    const { store } = getOpened();
    const created = await create({ labels: { a: '1', b: '2' } });
    const { spec, metadata } = created;
    const reordered = { ...metadata, labels: { b: '2', a: '1' }, finalizers: [] };
    const same = await store.replace(ProbeKind, {
      ...created,
      metadata: reordered,
      spec: { size: spec.size, product: spec.product },
    });
    expect(same.metadata.resourceVersion).toBe(metadata.resourceVersion);
    expect(await store.get(ProbeKind, metadata)).toEqual(created);
  });

  it('rejects a stale or missing version, and tells how to retry', async () => {
    const { store } = getOpened();
    const created = await create();
    await store.replace(ProbeKind, withSize(created, 2));
    const { message } = await expectError('conflict', store.replace(ProbeKind, withSize(created, 3)));
    expect(message).toMatch(/^Probe "a" in org "\w+" has changed since it was read\. Read it again and retry/);
    const { resourceVersion: _, ...unversioned } = created.metadata;
    await expectError(
      'conflict',
      store.replace(ProbeKind, { ...withSize(created, 3), metadata: unversioned } as Probe),
    );
    expect((await store.get(ProbeKind, created.metadata)).spec.size).toBe(2);
  });

  it('accepts exactly one of many writes with the same version', async () => {
    const { store } = getOpened();
    const created = await create();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => store.replace(ProbeKind, withSize(created, 100 + index))),
    );
    const won = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value);
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason as unknown);
    expect(won).toHaveLength(1);
    expect(lost.filter((reason) => (reason as { code?: string }).code === 'conflict')).toHaveLength(19);
    expect(await store.get(ProbeKind, created.metadata)).toEqual(won[0]);
  });

  it('does not restore a deleted object', async () => {
    const { store } = getOpened();
    const created = await create();
    await store.delete(ProbeKind, created.metadata);
    await expectError('not-found', store.replace(ProbeKind, withSize(created, 2)));
    const another = await store.create(ProbeKind, buildProbe(created.metadata.namespace, 'a'));
    await expectError('conflict', store.replace(ProbeKind, withSize(created, 2)));
    expect(await store.get(ProbeKind, created.metadata)).toEqual(another);
  });
}

function describeUpdateStatus({ getOpened, createNamespaceName }: StoreHarness): void {
  const create = async (): Promise<Probe> =>
    getOpened().store.create(ProbeKind, buildProbe(await createNamespaceName(), 'a'));

  it('writes only the status, and keeps the generation', async () => {
    const { store } = getOpened();
    const created = await create();
    const updated = await store.updateStatus(ProbeKind, created.metadata, (current) => {
      current.spec.size = 77;
      return { count: 1 };
    });
    expect(updated).toMatchObject({ spec: { size: 1 }, status: { count: 1 }, metadata: { generation: 1 } });
    expect(updated.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
    expect(await store.get(ProbeKind, created.metadata)).toEqual(updated);
  });

  it('applies all of fifty concurrent updates', async () => {
    const { store } = getOpened();
    const { metadata } = await create();
    await Promise.all(
      Array.from({ length: 50 }, () =>
        store.updateStatus(ProbeKind, metadata, ({ status }) => ({ count: (status?.count ?? 0) + 1 })),
      ),
    );
    expect((await store.get(ProbeKind, metadata)).status).toEqual({ count: 50 });
  });

  it('accepts a callback that modifies its argument', async () => {
    const { store } = getOpened();
    const { metadata } = await create();
    await store.updateStatus(ProbeKind, metadata, () => ({ count: 1 }));
    const updated = await store.updateStatus(ProbeKind, metadata, ({ status = { count: 0 } }) => {
      status.count += 1;
      return status;
    });
    expect(updated.status).toEqual({ count: 2 });
  });

  it('writes nothing for an equal status, or for undefined', async () => {
    const { store } = getOpened();
    const { metadata } = await create();
    const first = await store.updateStatus(ProbeKind, metadata, () => ({ count: 1 }));
    expect(await store.updateStatus(ProbeKind, metadata, () => ({ count: 1 }))).toEqual(first);
    expect(await store.updateStatus(ProbeKind, metadata, () => undefined)).toEqual(first);
  });

  it('rethrows an error of the callback and leaves the object unchanged', async () => {
    const { store } = getOpened();
    const created = await create();
    const failing = store.updateStatus(ProbeKind, created.metadata, () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await store.get(ProbeKind, created.metadata)).toEqual(created);
  });
}
