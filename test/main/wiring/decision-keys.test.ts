import { describe, expect, it } from 'vitest';
import { ConfigMapKind, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { createDecisionJudge, createDecisionSigner } from '../../../src/main/wiring/decision-keys.ts';
import { formerDecisionKeyLabels } from '../../../src/rules/access/decision-keys.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const keyRef = { namespace: systemNamespace, name: 'service-decision-key' };
const now = (): Date => new Date('2026-11-22T10:00:00.000Z');
const decision = {
  action: 'freezeZone' as const,
  scope: { org: 'acme', product: 'hello', zone: 'hello-prod' },
  decision: { by: 'ada@example.com', reason: 'Sale.' },
};

function openStore() {
  const store = openTestStore();
  return store;
}

describe('createDecisionSigner', () => {
  it('creates one key for the installation, however many replicas start at once', async () => {
    const store = openStore();
    const signers = await Promise.all(Array.from({ length: 3 }, async () => await createDecisionSigner(store, now)));
    const judge = createDecisionJudge(store, now);
    for (const sign of signers) expect(await judge.judgeNew(sign(decision), decision)).toBeUndefined();
    const restarted = await createDecisionSigner(store, now);
    expect(await judge.judgeNew(restarted(decision), decision)).toBeUndefined();
  });

  it('gives the workers the public key only', async () => {
    const store = openStore();
    await createDecisionSigner(store, now);
    const published = JSON.stringify(await store.get(ConfigMapKind, keyRef));
    expect(published).toContain('BEGIN PUBLIC KEY');
    expect(published).not.toContain('PRIVATE');
    expect(Object.keys((await store.get(SecretKind, keyRef)).data ?? {})).toEqual(['private-key']);
  });

  it('publishes its key again when the published one is another', async () => {
    const store = openStore();
    await createDecisionSigner(store, now);
    const published = await store.get(ConfigMapKind, keyRef);
    await store.replace(ConfigMapKind, { ...published, data: { 'public-key': 'other' } });
    const sign = await createDecisionSigner(store, now);
    expect(await createDecisionJudge(store, now).judgeNew(sign(decision), decision)).toBeUndefined();
  });
});

describe('createDecisionJudge', () => {
  it('refuses a decision that is too old when it arrives, and still recognizes it on a resource', async () => {
    const store = openStore();
    const proof = (await createDecisionSigner(store, now))(decision);
    const later = createDecisionJudge(store, () => new Date('2026-11-22T11:00:00.000Z'));
    expect(await later.judgeNew(proof, decision)).toContain('too long ago');
    expect(await later.judgeRecorded(proof, ({ action }) => action === 'freezeZone')).toBeUndefined();
    expect(await later.judgeRecorded(proof, ({ action }) => action === 'unfreezeZone')).toContain('no valid signature');
    expect(await later.judgeRecorded(undefined, () => true)).toContain('no valid signature');
  });

  it('recognizes decisions of an installation that was restored here, and takes no new ones from it', async () => {
    const former = openStore();
    const proof = (await createDecisionSigner(former, now))(decision);
    const { data } = await former.get(ConfigMapKind, keyRef);
    const store = openStore();
    await createDecisionSigner(store, now);
    const judge = createDecisionJudge(store, now);
    expect(await judge.judgeRecorded(proof, () => true)).toContain('no valid signature');
    const metadata = { namespace: systemNamespace, name: `${keyRef.name}-1a2b3c4d`, labels: formerDecisionKeyLabels };
    await store.create(ConfigMapKind, { metadata, ...(data && { data }) });
    expect(await judge.judgeRecorded(proof, () => true)).toBeUndefined();
    expect(await judge.judgeRecorded(proof, () => false)).toContain('no valid signature');
    expect(await judge.judgeNew(proof, decision)).toContain('no valid signature');
  });

  it('waits for the API when there is no key yet', async () => {
    await expect(createDecisionJudge(openStore(), now).judgeNew('a.b', decision)).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});
