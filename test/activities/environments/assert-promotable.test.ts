import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { assertPromotable } from '../../../activities/environments/assert-promotable.ts';
import {
  type DecisionJudge,
  readProof,
  type SignedDecision,
  signDecision,
} from '../../../src/rules/access/decisions.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { trustingJudge } from '../../support/trusting-judge.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const at = '2026-11-22T10:00:00.000Z';
const namespace = 'org-acme';
const scope = { org: 'acme', product: 'shop', zone: 'shop-prod' };
const promotion = { ...scope, release: 'shop-v0.1.0', version: 'v0.1.0', commit: 'c1', digest: 'sha256:1' };
const judge: DecisionJudge = {
  ...trustingJudge,
  judgeRecorded: async (proof, isExpected) => {
    const signed = readProof(publicKey, proof);
    return signed && isExpected(signed) ? undefined : 'it has no valid signature';
  },
};
const approval = { release: promotion.release, by: 'bob', role: 'member' };
const sign = (changed: Partial<SignedDecision> = {}, key = privateKey): string =>
  signDecision(key, { action: 'approvePromotion', scope, decision: approval, at, ...changed });

/** Creates a store with a built Release whose zone shows an approval by root. */
async function createStore(proof?: string) {
  const store = openTestStore();
  await store.create(ReleaseKind, {
    metadata: { namespace, name: promotion.release },
    spec: { product: 'shop', repo: 'acme/shop', commit: 'c1', version: 'v0.1.0', startedBy: 'ada' },
  });
  const decision = { by: 'root@example.com', role: 'org-admin', outcome: 'approved' as const, at };
  await store.updateStatus(ReleaseKind, { namespace, name: promotion.release }, () => ({
    phase: 'Promoting' as const,
    digest: promotion.digest,
    zones: [{ name: 'shop-prod', phase: 'Promoting' as const, decision: { ...decision, ...(proof && { proof }) } }],
  }));
  return store;
}

describe('assertPromotable', () => {
  it.each([
    ['an approval', sign()],
    ['a manual promotion', sign({ action: 'promoteManually', decision: { request: { release: promotion.release } } })],
  ])('accepts %s that was made through the API', async (_case, proof) => {
    const deps = { store: await createStore(proof), decisions: judge };
    await expect(
      assertPromotable(deps, promotion, { name: 'zone', promotionPolicy: 'after-approval' }),
    ).resolves.toBeUndefined();
  });

  it('demands no approval for a zone that requires none', async () => {
    const deps = { store: await createStore(), decisions: judge };
    await expect(
      assertPromotable(deps, promotion, { name: 'zone', promotionPolicy: 'automatic' }),
    ).resolves.toBeUndefined();
  });

  it.each([
    ['no signature', undefined],
    ['a forged signature', sign({}, generateKeyPairSync('ed25519').privateKey)],
    ['a rejection', sign({ action: 'rejectPromotion' })],
    ['an approval in another org', sign({ scope: { ...scope, org: 'evil' } })],
    ['an approval for another zone', sign({ scope: { ...scope, zone: 'shop-rc' } })],
    ['an approval of another Release', sign({ decision: { ...approval, release: 'shop-v0.0.9' } })],
    [
      'a manual promotion of another Release',
      sign({ action: 'promoteManually', decision: { request: { release: 'x' } } }),
    ],
  ])('refuses %s, although the Release shows an approval by root', async (_case, proof) => {
    const store = await createStore(proof);
    const policy = { name: 'zone', promotionPolicy: 'after-approval' as const };
    await expect(assertPromotable({ store, decisions: judge }, promotion, policy)).rejects.toMatchObject({
      reason: 'decision-refused',
    });
    // The attack succeeds without the defence.
    await expect(assertPromotable({ store, decisions: trustingJudge }, promotion, policy)).resolves.toBeUndefined();
  });

  it('refuses a Release whose image was deleted', async () => {
    const deps = { store: await createStore(sign()), decisions: judge };
    const isImageDeleted = async (digest: string): Promise<boolean> => digest === promotion.digest;
    await expect(
      assertPromotable({ ...deps, isImageDeleted }, promotion, { name: 'zone', promotionPolicy: 'automatic' }),
    ).rejects.toMatchObject({ reason: 'image-deleted' });
  });

  it.each([
    ['digest', 'sha256:evil'],
    ['commit', 'c2'],
    ['version', 'v9.9.9'],
    ['product', 'other'],
  ])('refuses a promotion whose %s is not that of the Release', async (field, value) => {
    const deps = { store: await createStore(sign()), decisions: trustingJudge };
    await expect(
      assertPromotable(deps, { ...promotion, [field]: value }, { name: 'zone', promotionPolicy: 'automatic' }),
    ).rejects.toMatchObject({ reason: 'decision-refused' });
  });
});
