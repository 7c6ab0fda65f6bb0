import { describe, expect, it } from 'vitest';
import { currentRecording } from '../../../api/audit/current-recording.ts';
import { recordWrites } from '../../../api/audit/record-writes.ts';
import { ConfigMapKind, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { ApiTokenKind, UserKind } from '../../../src/rules/access/kinds.ts';
import type { Write } from '../../../src/rules/audit/describe-change.ts';
import {
  connectionStateLabels,
  deviceSignInLabels,
  requestLabels,
  signInAttemptLabels,
} from '../../../src/rules/expiry.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const metadata = { namespace: systemNamespace, name: 'ada' };
const spec = { email: 'ada@example.com', platformAdmin: false };

/** Opens a store with the user "ada", and records what a request writes. */
async function startRecording() {
  const inner = openTestStore();
  const user = await inner.create(UserKind, { metadata, spec });
  const store = recordWrites(inner);
  const log: (string | Write)[] = [];
  const recording = {
    begin: async (namespace: string) => void log.push(`begin ${namespace}`),
    note: (write: Write) => void log.push(write),
  };
  const record = async (write: () => Promise<unknown>) => {
    await currentRecording.run(recording, write);
    return log.splice(0);
  };
  return { inner, store, user, record, log };
}
const begun = `begin ${systemNamespace}`;
const ofAda = { kind: 'User', namespace: systemNamespace, name: 'ada' };

describe('recordWrites', () => {
  it('records each object before and after, once the entry exists', async () => {
    const { store, user, record, inner } = await startRecording();
    const eve = { namespace: systemNamespace, name: 'eve' };
    expect(await record(async () => await store.create(UserKind, { metadata: eve, spec }))).toMatchObject([
      begun,
      { kind: 'User', namespace: systemNamespace, name: 'eve', action: 'created', after: { spec } },
    ]);
    const admin = { ...spec, platformAdmin: true };
    expect(await record(async () => await store.replace(UserKind, { ...user, spec: admin }))).toMatchObject([
      begun,
      { ...ofAda, action: 'updated', before: { spec }, after: { spec: admin } },
    ]);
    const [, change] = await record(
      async () => await store.updateStatus(UserKind, metadata, () => ({ conditions: [] })),
    );
    expect(change).toMatchObject({ ...ofAda, action: 'updated', after: { status: { conditions: [] } } });
    expect(change).not.toHaveProperty('before.status');
    expect(change).toHaveProperty('before.spec', undefined);
    expect(change).toHaveProperty('after.spec', undefined);
    expect(await record(async () => await store.delete(UserKind, metadata))).toMatchObject([
      begun,
      { ...ofAda, action: 'deleted', before: { spec: admin } },
    ]);
    expect(await inner.find(UserKind, metadata)).toBeUndefined();
  });

  it('records no write that changes nothing', async () => {
    const { store, record, inner } = await startRecording();
    const current = await inner.get(UserKind, metadata);
    expect(await record(async () => await store.replace(UserKind, current))).toEqual([begun]);
    expect(await record(async () => await store.updateStatus(UserKind, metadata, () => undefined))).toEqual([begun]);
    const gone = { namespace: systemNamespace, name: 'gone' };
    expect(await record(async () => await store.delete(UserKind, gone).catch(() => undefined))).toEqual([]);
  });

  it('records what the change of a status left alone as it was, although the change mutates it', async () => {
    const { store, record, inner } = await startRecording();
    await inner.updateStatus(UserKind, metadata, () => ({ identities: [], conditions: [] }));
    const [, change] = await record(
      async () =>
        await store.updateStatus(UserKind, metadata, (user) => {
          if (user.status) delete user.status.identities;
          return user.status;
        }),
    );
    expect(change).toHaveProperty('before.status.identities', []);
    expect(change).not.toHaveProperty('after.status.identities');
  });

  it('records a written Secret without reading it, and the begin of the deletion of a namespace', async () => {
    const { store, record } = await startRecording();
    const secret = { metadata: { namespace: 'org-acme', name: 'keys' }, type: 'Opaque', data: { a: 'eA==' } };
    expect(await record(async () => await store.put(SecretKind, secret))).toMatchObject([
      'begin org-acme',
      { kind: 'Secret', namespace: 'org-acme', name: 'keys', action: 'updated', after: { data: { a: 'eA==' } } },
    ]);
    expect(await record(async () => await store.deleteNamespace('org-acme'))).toEqual(['begin org-acme']);
    expect(await store.find(SecretKind, secret.metadata)).toBeUndefined();
  });

  it.each([requestLabels, connectionStateLabels, deviceSignInLabels, signInAttemptLabels])(
    'records no passing object: %j',
    async (labels) => {
      const { store, record } = await startRecording();
      const passing = { namespace: systemNamespace, name: 'passing', labels: { ...labels, own: 'x' } };
      for (const kind of [SecretKind, ConfigMapKind]) {
        const created = await record(async () => await store.create(kind, { metadata: passing, data: {} }));
        expect(created).toEqual([]);
        expect(await record(async () => await store.delete(kind, passing))).toEqual([]);
      }
      const token = { use: 'token' as const, user: 'ada', userUid: 'u', label: 'x' };
      const kept = await record(async () => await store.create(ApiTokenKind, { metadata: passing, spec: token }));
      expect(kept).toMatchObject([begun, { kind: 'ApiToken', action: 'created' }]);
      const other = { namespace: systemNamespace, name: 'other', labels: { own: 'x' } };
      expect(await record(async () => await store.create(SecretKind, { metadata: other, data: {} }))).toHaveLength(2);
    },
  );

  it('writes the same outside of a request', async () => {
    const { store, user, inner, log } = await startRecording();
    const replaced = await store.replace(UserKind, { ...user, spec: { ...spec, platformAdmin: true } });
    expect(replaced.spec.platformAdmin).toBe(true);
    expect((await store.updateStatus(UserKind, metadata, () => ({ conditions: [] }))).status).toEqual({
      conditions: [],
    });
    await store.put(SecretKind, { metadata: { namespace: 'org-acme', name: 'keys' }, type: 'Opaque', data: {} });
    await store.deleteNamespace('org-acme');
    await store.delete(UserKind, metadata);
    await store.create(UserKind, { metadata, spec });
    expect((await inner.list(UserKind)).items).toHaveLength(1);
    expect((await inner.list(SecretKind)).items).toEqual([]);
    expect(log).toEqual([]);
  });
});
