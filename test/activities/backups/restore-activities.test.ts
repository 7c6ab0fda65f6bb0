import { describe, expect, it } from 'vitest';
import { ConfigMapKind, SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { ApiTokenKind, UserKind } from '../../../src/rules/access/kinds.ts';
import { formerDecisionKeyLabels } from '../../../src/rules/access/decision-keys.ts';
import { RestoreKind } from '../../../src/rules/backups/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import {
  at,
  backUp,
  backup,
  createBackupKey,
  createInstallation,
  listObjects,
  restore,
  toNames,
  type Installation,
  withoutOwn,
} from './backup-fixture.ts';

async function confirm({ store }: Installation): Promise<void> {
  await store.updateStatus(
    RestoreKind,
    { namespace: systemNamespace, name: restore },
    ({ status }) =>
      status && { ...status, confirmed: { by: 'root@example.com', digest: status.plan?.digest ?? '', at } },
  );
}

describe('restoreArchive', () => {
  it('brings back every object with its status, uid, owner and times, and every blob', async () => {
    const { source, target, openRestore } = await backUp();
    const readStatus = await openRestore();
    expect(await target.run(async ({ checkArchive }) => await checkArchive({ restore }))).toEqual({ conflicts: 0 });
    expect(await readStatus()).toMatchObject({
      plan: { createdAt: at, version: 'v1.2.3', orgs: ['acme'], contents: { resources: 14, blobs: 1 }, existing: 0 },
    });
    expect(withoutOwn(toNames(await listObjects(target.store)))).toEqual([]);
    await target.run(async ({ restoreArchive }) => await restoreArchive({ restore }));

    const isOwn = (name: string): boolean => withoutOwn([name]).length === 0;
    const restored = (await listObjects(target.store)).filter((object) => !isOwn(toNames([object])[0] ?? ''));
    const original = (await listObjects(source.store)).filter((object) => !isOwn(toNames([object])[0] ?? ''));
    expect(restored).toEqual(original);
    expect(restored.length).toBe(13);
    const keys = await source.blobs.list('');
    expect(await target.blobs.list('')).toEqual(keys);
    for (const key of keys) expect(await target.blobs.find(key)).toEqual(await source.blobs.find(key));
    expect(await readStatus()).toMatchObject({ progress: { resources: 14, blobs: 1 } });
    // Deleting an owner still deletes what it owns.
    await target.store.delete(OrganizationKind, { namespace: systemNamespace, name: 'acme' });
  });

  it('restores no credential of people, and nothing that belongs to the installation itself', async () => {
    const { target, openRestore } = await backUp();
    await openRestore();
    await target.run(async ({ checkArchive }) => await checkArchive({ restore }));
    await target.run(async ({ restoreArchive }) => await restoreArchive({ restore }));
    expect((await target.store.list(ApiTokenKind)).items).toEqual([]);
    const system = (await listObjects(target.store)).filter(({ metadata }) => metadata.namespace === systemNamespace);
    const names = toNames(system).filter((name) => !name.includes(restore));
    expect(names).toEqual([
      'Organization service-system/acme',
      'User service-system/user-ada',
      'Secret service-system/user-ada',
      'ConfigMap service-system/product-hello',
      expect.stringMatching(/^ConfigMap service-system\/service-decision-key-[0-9a-f]{8}$/),
    ]);
    const labels = formerDecisionKeyLabels;
    expect((await target.store.list(ConfigMapKind, { labels })).items).toMatchObject([
      { data: { 'public-key': 'pem' } },
    ]);
  });

  it('continues after a stop between any two writes, with the same result', async () => {
    const { source, target: first, openRestore, recoveryKey } = await backUp();
    await openRestore();
    await first.run(async ({ checkArchive }) => await checkArchive({ restore }));
    await first.run(async ({ restoreArchive }) => await restoreArchive({ restore }));
    const expected = await listObjects(first.store);
    let stops = 0;
    for (let stopAt = 1; ; stopAt += 1) {
      const target = await createInstallation({ backups: source.backups });
      await target.openRestore(restore, recoveryKey);
      await target.run(async ({ checkArchive }) => await checkArchive({ restore }));
      let writes = 0;
      const stopping = async <T>(write: () => Promise<T>): Promise<T> => {
        writes += 1;
        // The process stops after the write, or before it.
        if (writes === stopAt && stopAt % 2 === 0) await write();
        if (writes >= stopAt) throw new Error('killed');
        return await write();
      };
      const { restoreArchive } = target.createActivities({
        store: {
          ...target.store,
          restore: async (kind, object) => await stopping(async () => await target.store.restore(kind, object)),
        },
        blobs: {
          ...target.blobs,
          put: async (key, bytes) => await stopping(async () => await target.blobs.put(key, bytes)),
        },
      });
      const outcome = await target
        .run(async () => await restoreArchive({ restore }))
        .then(
          () => 'complete',
          (error: Error) => error.message,
        );
      stops = stopAt - 1;
      if (outcome === 'complete') break;
      expect(outcome).toBe('killed');
      await target.run(async (activities) => await activities.restoreArchive({ restore }));
      const comparable = (objects: object[]): object[] =>
        objects.filter((object) => !JSON.stringify(object).includes(restore));
      expect(comparable(await listObjects(target.store))).toEqual(comparable(expected));
      expect(await target.blobs.list('')).toEqual(await source.blobs.list(''));
    }
    expect(stops).toBe(15);
  });

  it('keeps what exists, and brings back what was deleted since', async () => {
    const { source, recoveryKey } = await backUp();
    const ref = { namespace: 'org-acme', name: 'codehost-app' };
    await source.store.delete(SecretKind, ref);
    const product = await source.store.get(ProductKind, { namespace: 'org-acme', name: 'hello' });
    await source.store.replace(ProductKind, { ...product, spec: { ...product.spec, description: 'Newer.' } });
    const readStatus = await source.openRestore(restore, recoveryKey);
    await source.run(async ({ checkArchive }) => await checkArchive({ restore }));
    expect(await readStatus()).toMatchObject({ plan: { existing: 13 } });
    expect((await readStatus())?.conflicts).toBeUndefined();
    await source.run(async ({ restoreArchive }) => await restoreArchive({ restore }));
    expect(await source.store.find(SecretKind, ref)).toMatchObject({ data: toSecretData({ id: '1' }) });
    expect(await source.store.get(ProductKind, product.metadata)).toMatchObject({ spec: { description: 'Newer.' } });
  });

  it('uses no archive but the one that was checked', async () => {
    const { source, target, openRestore } = await backUp();
    await openRestore();
    await target.run(async ({ checkArchive }) => await checkArchive({ restore }));
    await source.store.create(UserKind, {
      metadata: { namespace: systemNamespace, name: 'user-mallory' },
      spec: { email: 'mallory@example.com', platformAdmin: true },
    });
    await source.run(async ({ writeBackup }) => await writeBackup({ backup }));
    await expect(target.run(async ({ restoreArchive }) => await restoreArchive({ restore }))).rejects.toMatchObject({
      reason: 'archive-refused',
    });
    expect((await target.store.list(UserKind)).items).toEqual([]);
  });
});

describe('checkArchive', () => {
  it('lists the resources whose names others have, but keeps the people who are there', async () => {
    const { target, openRestore } = await backUp();
    await target.store.create(OrganizationKind, {
      metadata: { namespace: systemNamespace, name: 'acme' },
      spec: { codehostAccount: 'other', gitopsRepo: 'other/gitops' },
    });
    await target.store.create(UserKind, {
      metadata: { namespace: systemNamespace, name: 'user-ada' },
      spec: { email: 'ada@example.com', platformAdmin: false },
    });
    const reservation = { namespace: systemNamespace, name: 'product-hello' };
    await target.store.create(ConfigMapKind, { metadata: reservation, data: { org: 'other' } });
    const readStatus = await openRestore();
    expect(await target.run(async ({ checkArchive }) => await checkArchive({ restore }))).toEqual({ conflicts: 2 });
    expect(await readStatus()).toMatchObject({
      conflicts: ['Organization service-system/acme', 'ConfigMap service-system/product-hello'],
      plan: { existing: 1 },
    });
  });

  it('refuses a wrong key and an archive that does not exist', async () => {
    const { target, openRestore } = await backUp();
    await openRestore(await createBackupKey(await createInstallation()));
    await expect(target.run(async ({ checkArchive }) => await checkArchive({ restore }))).rejects.toMatchObject({
      reason: 'recovery-key-wrong',
    });
    await target.openRestore('restore-2', 'x', 'backup-20250101120000-1a2b3c4d');
    await expect(
      target.run(async ({ checkArchive }) => await checkArchive({ restore: 'restore-2' })),
    ).rejects.toMatchObject({ reason: expect.stringMatching(/not-found|recovery-key-wrong/) });
  });

  it('refuses the archive of one backup in the folder of another', async () => {
    const { source, target, recoveryKey } = await backUp();
    const other = 'backup-20260102120000-1a2b3c4d';
    await source.backups.put(`${other}/000001.age`, (await source.backups.find(`${backup}/000001.age`)) ?? Buffer.of());
    await target.openRestore(restore, recoveryKey, other);
    await expect(target.run(async ({ checkArchive }) => await checkArchive({ restore }))).rejects.toMatchObject({
      reason: 'archive-refused',
    });
  });
});

describe('beginRestore', () => {
  it('begins only the plan that a person confirmed', async () => {
    const { target, openRestore } = await backUp();
    const readStatus = await openRestore();
    await target.run(async ({ checkArchive }) => await checkArchive({ restore }));
    const begin = async () => await target.run(async ({ beginRestore }) => await beginRestore({ restore }));
    expect(await begin()).toBe(false);
    await confirm(target);
    expect(await begin()).toBe(true);
    // A repetition after a lost result begins it too.
    expect(await begin()).toBe(true);
    expect(await readStatus()).toMatchObject({ phase: 'Restoring' });
  });
});
