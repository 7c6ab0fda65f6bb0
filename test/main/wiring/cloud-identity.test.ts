import { decodeProtectedHeader } from 'jose';
import { expect, it } from 'vitest';
import { SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { createCloudIdentity } from '../../../src/main/wiring/cloud-identity.ts';
import {
  identityKeysSecretName,
  keyLifetimeMs,
  publishAheadMs,
} from '../../../src/rules/cloud-accounts/identity-keys.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const ref = { namespace: systemNamespace, name: identityKeysSecretName };
const start = Date.parse('2026-11-25T09:00:00Z');
const claims = { org: 'acme', audience: 'sts.amazonaws.com' };

/** Two replicas on one store, and a clock for both. */
function startReplicas() {
  const store = openTestStore();
  const clock = { ms: start };
  const create = () =>
    createCloudIdentity(store, { issuer: 'https://delivery.example.com/oidc', now: () => new Date(clock.ms) });
  return { store, clock, create, one: create(), other: create() };
}

const listKids = async (identity: ReturnType<typeof createCloudIdentity>) =>
  (await identity.listPublicKeys()).map(({ kid }) => kid);
const signingKid = async (identity: ReturnType<typeof createCloudIdentity>) =>
  decodeProtectedHeader(await identity.signToken(claims)).kid;

it('has one key, however many replicas need it first at once', async () => {
  const { store, create, one, other } = startReplicas();
  expect((await store.list(SecretKind)).items).toEqual([]);
  const kids = await Promise.all([one, other, create()].map(signingKid));
  expect(new Set(kids).size).toBe(1);
  expect(await listKids(create())).toEqual([kids[0]]);
});

it('is rotated by any replica, and every replica publishes the next key before one signs with it', async () => {
  const { clock, one, other } = startReplicas();
  const first = await signingKid(one);
  expect(await listKids(other)).toEqual([first]);
  clock.ms += keyLifetimeMs;
  const [, next] = await listKids(one);
  expect(await listKids(other)).toEqual([first, next]);
  expect(await signingKid(other)).toBe(first);
  clock.ms += publishAheadMs;
  expect(await Promise.all([one, other].map(signingKid))).toEqual([next, next]);
  expect(await listKids(one)).toEqual([first, next]);
  clock.ms += 2 * 60 * 60_000;
  expect(await Promise.all([one, other].map(listKids))).toEqual([[next], [next]]);
});

it('is replaced at once when an operator deletes the Secret, because a key was stolen', async () => {
  const { store, clock, one } = startReplicas();
  const stolen = await signingKid(one);
  await store.delete(SecretKind, ref);
  clock.ms += 60_000;
  const kid = await signingKid(one);
  expect(kid).not.toBe(stolen);
  expect(await listKids(one)).toEqual([kid]);
});

it('is replaced when a person has broken the Secret', async () => {
  const { store, one } = startReplicas();
  await store.create(SecretKind, { metadata: ref, data: toSecretData({ 'x.private-key': 'broken' }) });
  const kid = await signingKid(one);
  expect(Object.keys((await store.get(SecretKind, ref)).data ?? {}).toSorted()).toEqual([
    `${kid}.created-at`,
    `${kid}.private-key`,
  ]);
});
