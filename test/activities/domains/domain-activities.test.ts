import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDomainActivities } from '../../../activities/domains/domain-activities.ts';
import { wrapActivities } from '../../../activities/wrap-activities.ts';
import type { Dns } from '../../../src/integrations/dns/dns.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { addressReservationLabels, addressReservationName } from '../../../src/rules/domains/address-reservations.ts';
import { challengeName, challengeValue } from '../../../src/rules/domains/dns-records.ts';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { buildDomainSettings } from '../../support/start-api.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { setRestorePhase } from '../../support/set-restore-phase.ts';
import { createFakeDns } from './fake-dns.ts';

const ref = { org: 'acme', domain: 'shop.example' };
const external = { kind: 'external' as const, shared: false };
const toDomainRef = ({ org, domain }: typeof ref) => ({ namespace: `org-${org}`, name: domain });

function createHarness(over: Partial<Dns> = {}) {
  const applied: string[] = [];
  /** Interrupts the next application of a state. */
  const failApplying = { once: false };
  const store = openTestStore();
  const { dns, texts, addresses } = createFakeDns();
  const clock = { now: new Date() };
  const activities = wrapActivities(
    createDomainActivities({
      store,
      dns: { ...dns, ...over },
      domains: buildDomainSettings(),
      isProxied: () => false,
      allowedInside: [],
      notifyDomainWorkflow: async () => {},
      applyDomainState: async ({ org, domain }) => {
        if (failApplying.once) {
          failApplying.once = false;
          throw new Error('interrupted');
        }
        const { status } = (await store.find(DomainKind, { namespace: `org-${org}`, name: domain })) ?? {};
        applied.push(`${org} ${domain} ${status?.state}`);
      },
      now: () => clock.now,
    }),
  );
  const run = async <Input, Output>(activity: (input: Input) => Promise<Output>, input: Input): Promise<Output> =>
    await new MockActivityEnvironment().run(activity, input);
  const readToken = async (owner: typeof ref): Promise<string> =>
    (await store.get(DomainKind, toDomainRef(owner))).spec.token;
  const prove = async (owner: typeof ref): Promise<void> =>
    void (texts[challengeName(owner.domain)] = challengeValue(await readToken(owner)));
  return { store, activities, applied, failApplying, texts, addresses, clock, run, readToken, prove };
}

it('creates a Domain with its own token, and keeps the token when repeated', async () => {
  const { activities, run, readToken } = createHarness();
  const snapshot = await run(activities.claimDomain, { ...ref, ...external });
  expect(snapshot).toMatchObject({ state: 'WaitingForDns', kind: 'external', shard: 0 });
  const token = await readToken(ref);
  await run(activities.claimDomain, { ...ref, ...external });
  expect(await readToken(ref)).toBe(token);
});

it('neither verifies nor claims a Domain that was created without the service', async () => {
  const { activities, run, store, texts } = createHarness();
  const spec = { name: ref.domain, kind: 'external' as const, shared: false, token: 'published' };
  await store.create(DomainKind, { metadata: toDomainRef(ref), spec });
  texts[challengeName(ref.domain)] = challengeValue('published');
  expect(await run(activities.checkDomain, ref)).toBeUndefined();
  expect(await run(activities.refreshDomainState, ref)).toBeUndefined();
  await expect(run(activities.claimDomain, { ...ref, ...external })).rejects.toMatchObject({ type: 'already-exists' });
  expect((await store.get(DomainKind, toDomainRef(ref))).status).toBeUndefined();
});

it('rejects a claim that overlaps with a claim of another org', async () => {
  const { activities, run } = createHarness();
  await run(activities.claimDomain, { ...ref, ...external });
  const claim = run(activities.claimDomain, { org: 'other', domain: 'www.shop.example', ...external });
  await expect(claim).rejects.toMatchObject({ type: 'domain-taken', nonRetryable: true });
});

it('verifies a domain by its TXT record, and displaces the expired claim of another org', async () => {
  const { activities, run, texts, clock, readToken, store } = createHarness();
  const rival = { org: 'other', domain: ref.domain };
  await run(activities.claimDomain, { ...rival, ...external });
  clock.now = new Date(clock.now.getTime() + 8 * 24 * 60 * 60_000);
  await run(activities.claimDomain, { ...ref, ...external });
  texts[challengeName(ref.domain)] = challengeValue(await readToken(ref));
  expect(await run(activities.checkDomain, ref)).toMatchObject({ state: 'Verified' });
  const displaced = {
    state: 'Failed',
    message: 'Another org has verified the domain shop.example. If that is wrong, ask a platform admin.',
  };
  const readRival = async () => (await store.get(DomainKind, toDomainRef(rival))).status;
  expect(await readRival()).toMatchObject(displaced);
  await run(activities.checkDomain, rival);
  expect(await readRival()).toMatchObject(displaced);
  // A process that ended before it told the other org is made up for by the next look at its domain.
  await store.updateStatus(
    DomainKind,
    toDomainRef(rival),
    ({ status }) => status && { ...status, state: 'WaitingForDns' as const },
  );
  await run(activities.refreshDomainState, rival);
  expect(await readRival()).toMatchObject(displaced);
  await run(activities.deleteDomainResources, ref);
  await run(activities.refreshDomainState, rival);
  expect((await readRival())?.message).toContain('The TXT record was not found');
});

it('applies the state of a domain to its zones when it fails, changes hands and comes back', async () => {
  const { activities, applied, run, texts, clock, readToken } = createHarness();
  const rival = { org: 'other', domain: ref.domain };
  const passDays = (days: number) => (clock.now = new Date(clock.now.getTime() + days * 24 * 60 * 60_000));
  const prove = async (owner: typeof ref) =>
    (texts[challengeName(ref.domain)] = challengeValue(await readToken(owner)));
  await run(activities.claimDomain, { ...ref, ...external });
  await prove(ref);
  await run(activities.checkDomain, ref);
  delete texts[challengeName(ref.domain)];
  await run(activities.checkDomain, ref);
  passDays(8);
  await run(activities.checkDomain, ref);
  expect(applied.splice(0)).toEqual([
    'acme shop.example Verified',
    'acme shop.example Verified',
    'acme shop.example Failed',
  ]);

  await run(activities.claimDomain, { ...rival, ...external });
  await prove(rival);
  await run(activities.checkDomain, rival);
  expect(applied.splice(0)).toEqual(['acme shop.example Failed', 'other shop.example Verified']);

  await prove(ref);
  expect(await run(activities.checkDomain, ref)).toMatchObject({ state: 'Failed' });
  await run(activities.deleteDomainResources, rival);
  expect(await run(activities.checkDomain, ref)).toMatchObject({ state: 'Verified' });
  expect(applied.at(-1)).toBe('acme shop.example Verified');
});

it('keeps the claim of a verified domain as it is, however often it is checked', async () => {
  const { activities, run, prove, store } = createHarness();
  await run(activities.claimDomain, { ...ref, ...external });
  await prove(ref);
  await run(activities.checkDomain, ref);
  const [claims] = (await store.list(ConfigMapKind)).items;
  for (let time = 0; time < 2; time += 1)
    expect(await run(activities.checkDomain, ref)).toMatchObject({ state: 'Verified' });
  expect((await store.list(ConfigMapKind)).items).toEqual([claims]);
});

it('writes no claims when a domain fails that was never verified', async () => {
  const { activities, run, clock, store } = createHarness();
  await run(activities.claimDomain, { ...ref, ...external });
  const [claims] = (await store.list(ConfigMapKind)).items;
  clock.now = new Date(clock.now.getTime() + 8 * 24 * 60 * 60_000);
  expect(await run(activities.checkDomain, ref)).toMatchObject({ state: 'Failed' });
  expect((await store.list(ConfigMapKind)).items).toEqual([claims]);
});

it('displaces a claim also when it was interrupted before the other org was told', async () => {
  const { activities, run, clock, prove, store, failApplying } = createHarness();
  const rivals = ['shop.example', 'www.shop.example'].map((domain) => ({ org: 'other', domain }));
  for (const rival of rivals) await run(activities.claimDomain, { ...rival, ...external });
  clock.now = new Date(clock.now.getTime() + 8 * 24 * 60 * 60_000);
  await run(activities.claimDomain, { ...ref, ...external });
  await prove(ref);
  failApplying.once = true;
  await expect(run(activities.checkDomain, ref)).rejects.toThrow('interrupted');
  expect(await run(activities.refreshDomainState, ref)).toMatchObject({ state: 'Verified' });
  for (const rival of rivals)
    expect((await store.get(DomainKind, toDomainRef(rival))).status).toMatchObject({ state: 'Failed' });
  const { data } = await store.get(ConfigMapKind, { namespace: 'service-system', name: 'domain-claims-shop.example' });
  expect(JSON.parse(data?.['claims'] ?? '')).toMatchObject([{ org: 'acme', verified: true }]);
});

it('displaces a claim also when its Domain is gone, or was created again', async () => {
  const { activities, run, clock, prove, store, applied } = createHarness();
  const rivals = ['shop.example', 'www.shop.example'].map((domain) => ({ org: 'other', domain }));
  for (const rival of rivals) await run(activities.claimDomain, { ...rival, ...external });
  for (const rival of rivals) await store.delete(DomainKind, toDomainRef(rival));
  const recreated = toDomainRef({ org: 'other', domain: 'www.shop.example' });
  const spec = { name: recreated.name, ...external, token: 't' };
  await store.create(DomainKind, { metadata: recreated, spec });
  clock.now = new Date(clock.now.getTime() + 8 * 24 * 60 * 60_000);
  await run(activities.claimDomain, { ...ref, ...external });
  await prove(ref);
  expect(await run(activities.checkDomain, ref)).toMatchObject({ state: 'Verified' });
  expect((await store.get(DomainKind, recreated)).status).toBeUndefined();
  expect(applied).toEqual([
    'other shop.example undefined',
    'other www.shop.example undefined',
    'acme shop.example Verified',
  ]);
});

it('asks all servers about a domain that a person wants to have checked', async () => {
  const asked: unknown[] = [];
  const { dns } = createFakeDns();
  const lookupTxt: Dns['lookupTxt'] = async (name, options) => (asked.push(options), await dns.lookupTxt(name));
  const { activities, run } = createHarness({ lookupTxt });
  await run(activities.claimDomain, { ...ref, ...external });
  await run(activities.checkDomain, ref);
  expect(asked).toEqual([{ allServers: true }]);
});

it('puts the first thousand domains in one shard', async () => {
  const { activities, run, store } = createHarness();
  for (const domain of ['a.example', 'b.example', 'c.example'])
    expect(await run(activities.claimDomain, { org: 'acme', domain, ...external })).toMatchObject({ shard: 0 });
  const { list } = store;
  vi.spyOn(store, 'list').mockImplementation(async (kind, options) => {
    const page = await list(kind, options);
    if (kind.kind !== DomainKind.kind) return page;
    return { ...page, items: Array.from({ length: 2_001 }, () => page.items[0] as (typeof page.items)[number]) };
  });
  expect(await run(activities.claimDomain, { org: 'acme', domain: 'd.example', ...external })).toMatchObject({
    shard: 2,
  });
});

it('looks again at a managed domain until the timeout', async () => {
  const { activities, run, applied } = createHarness();
  await run(activities.claimDomain, { ...ref, ...external });
  const snapshot = await run(activities.waitForManagedDomain, { ...ref, timeoutMs: 500, intervalMs: 5 });
  expect(snapshot).toMatchObject({ state: 'WaitingForDns' });
  expect(applied.length).toBeGreaterThan(1);
});

it('looks once at a managed domain that it must not wait for', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  let looks = 0;
  const { dns } = createFakeDns();
  const lookupCaa: Dns['lookupCaa'] = async (name, options) => {
    looks += 1;
    if (looks > 1) vi.setSystemTime(Date.now() + 1);
    return await dns.lookupCaa(name, options);
  };
  const { activities, run } = createHarness({ lookupCaa });
  await run(activities.claimDomain, { ...ref, ...external });
  await run(activities.waitForManagedDomain, { ...ref, timeoutMs: 0, intervalMs: 1 });
  expect(looks).toBe(1);
});

it('stops waiting for a managed domain when it is cancelled', async () => {
  const { activities, run, applied } = createHarness();
  await run(activities.claimDomain, { ...ref, ...external });
  const environment = new MockActivityEnvironment();
  const waiting = environment
    .run(activities.waitForManagedDomain, { ...ref, timeoutMs: 600_000, intervalMs: 600_000 })
    .catch((error: unknown) => error);
  await expect.poll(() => applied.length).toBe(1);
  environment.cancel('CANCELLED');
  expect(await waiting).toMatchObject({ message: expect.stringMatching(/CANCELLED|aborted/) });
});

it('rejects the removal of a domain that a zone uses', async () => {
  const { activities, run, store } = createHarness();
  await run(activities.claimDomain, { ...ref, ...external });
  const host = `www.${ref.domain}`;
  await store.create(ConfigMapKind, {
    metadata: {
      namespace: 'service-system',
      name: addressReservationName({ host, domainOwner: ref.org }, undefined),
      labels: addressReservationLabels(ref.domain),
    },
    data: { domain: ref.domain, domainOrg: ref.org, product: 'shop', zone: 'shop-prod', host },
  });
  await expect(run(activities.beginDomainRemoval, ref)).rejects.toMatchObject({ type: 'domain-in-use' });
  expect((await store.get(DomainKind, toDomainRef(ref))).status?.removalMessage).toBeUndefined();
});

it('deletes the claim also when the Domain is deleted at the same time', async () => {
  const { activities, run, store } = createHarness();
  await run(activities.claimDomain, { ...ref, ...external });
  const remove = store.delete;
  vi.spyOn(store, 'delete').mockImplementationOnce(async (kind, domain, options) => {
    await remove(kind, domain, options);
    await remove(kind, domain, options);
  });
  await run(activities.deleteDomainResources, ref);
  expect((await store.list(ConfigMapKind)).items).toEqual([]);
});

it('deletes the Domain and its claim, so that another org can claim the name', async () => {
  const { activities, run, store } = createHarness();
  await run(activities.claimDomain, { ...ref, ...external });
  await run(activities.beginDomainRemoval, ref);
  expect((await store.get(DomainKind, toDomainRef(ref))).status?.removalMessage).toBe('it is being removed');
  await run(activities.deleteDomainResources, ref);
  await run(activities.deleteDomainResources, ref);
  expect(await run(activities.refreshDomainState, ref)).toBeUndefined();
  expect(await run(activities.claimDomain, { ...ref, org: 'other', ...external })).toMatchObject({
    state: 'WaitingForDns',
  });
});

it('decides and deletes nothing until a restore is complete, which restores claims after their Domains', async () => {
  const { activities, run, store, prove } = createHarness();
  const rival = { org: 'other', domain: 'www.other.example' };
  await run(activities.claimDomain, { ...ref, ...external });
  await prove(ref);
  await run(activities.checkDomain, ref);
  const [claims] = (await store.list(ConfigMapKind, { namespace: 'service-system' })).items;
  const domain = await store.get(DomainKind, toDomainRef(ref));
  if (!claims) throw new Error('The domain has no claim.');
  await store.delete(ConfigMapKind, claims.metadata);
  await store.updateStatus(DomainKind, domain.metadata, () => ({ state: 'WaitingForDns' as const, claimedAt: 'x' }));
  await setRestorePhase(store, 'Restoring');
  for (const call of [
    async () => await run(activities.checkDomain, ref),
    async () => await run(activities.refreshDomainState, ref),
    async () => await run(activities.claimDomain, { ...rival, ...external }),
    async () => await run(activities.beginDomainRemoval, ref),
    async () => await run(activities.deleteDomainResources, ref),
  ])
    await expect(call()).rejects.toMatchObject({ type: 'unavailable', nonRetryable: false });
  expect((await store.list(ConfigMapKind, { namespace: 'service-system' })).items).toEqual([]);
  expect((await store.list(DomainKind)).items).toHaveLength(1);
  await store.restore(ConfigMapKind, claims);
  await setRestorePhase(store, 'Succeeded');
  expect(await run(activities.checkDomain, ref)).toMatchObject({ state: 'Verified' });
  expect((await store.get(ConfigMapKind, claims.metadata)).metadata.uid).toBe(claims.metadata.uid);
});

describe('an unverified Domain that was deleted with kubectl', () => {
  const rival = { org: 'other', domain: 'www.shop.example' };
  const minutesMs = 60_000;

  it.each([
    ['leaves its name to another org after ten minutes', 10 * minutesMs, 'WaitingForDns'],
    ['keeps its name before, because an org may be claiming it', 10 * minutesMs - 1, 'domain-taken'],
  ])('%s', async (_, elapsedMs, expected) => {
    const { activities, run, store, clock } = createHarness();
    await run(activities.claimDomain, { ...ref, ...external });
    await store.delete(DomainKind, toDomainRef(ref));
    clock.now = new Date(clock.now.getTime() + elapsedMs);
    const outcome = await run(activities.claimDomain, { ...rival, ...external }).catch((error: unknown) => error);
    expect(outcome).toMatchObject(expected === 'domain-taken' ? { type: expected } : { state: expected });
  });

  it('does not lose the claim of a Domain that exists', async () => {
    const { activities, run, clock } = createHarness();
    await run(activities.claimDomain, { ...ref, ...external });
    clock.now = new Date(clock.now.getTime() + 60 * minutesMs);
    await expect(run(activities.claimDomain, { ...rival, ...external })).rejects.toMatchObject({
      type: 'domain-taken',
    });
  });
});

describe('a verified Domain that was deleted with kubectl', () => {
  const rival = { org: 'other', domain: 'www.shop.example' };

  async function deleteVerified() {
    const harness = createHarness();
    const { activities, run, prove, store, applied } = harness;
    await run(activities.claimDomain, { ...ref, ...external });
    await prove(ref);
    await run(activities.checkDomain, ref);
    await store.delete(DomainKind, toDomainRef(ref));
    applied.length = 0;
    return harness;
  }

  it('leaves its name to another org, and its hosts go first', async () => {
    const { activities, run, prove, applied, store } = await deleteVerified();
    await run(activities.claimDomain, { ...rival, ...external });
    expect(applied).toEqual(['acme shop.example undefined']);
    await prove(rival);
    expect(await run(activities.checkDomain, rival)).toMatchObject({ state: 'Verified' });
    const [claims] = (await store.list(ConfigMapKind)).items;
    expect(JSON.parse(claims?.data?.['claims'] ?? '')).toMatchObject([{ host: rival.domain, org: 'other' }]);
  });

  it('can be claimed by its org again, whose new claim is not verified before its record', async () => {
    const { activities, run } = await deleteVerified();
    expect(await run(activities.claimDomain, { ...ref, ...external })).toMatchObject({ state: 'WaitingForDns' });
    await expect(run(activities.claimDomain, { ...rival, ...external })).rejects.toMatchObject({
      message: expect.stringContaining('Its claim is not verified yet'),
    });
  });

  it('does not keep its name from an org that claimed it before, and proves it now', async () => {
    const { activities, run, prove, clock, applied, store } = createHarness();
    await run(activities.claimDomain, { ...rival, ...external });
    clock.now = new Date(clock.now.getTime() + 8 * 24 * 60 * 60_000);
    await run(activities.claimDomain, { ...ref, ...external });
    await prove(ref);
    await run(activities.checkDomain, ref);
    expect(await run(activities.checkDomain, rival)).toMatchObject({ state: 'Failed' });
    await prove(rival);
    expect(await run(activities.checkDomain, rival)).toMatchObject({ state: 'Failed' });
    await store.delete(DomainKind, toDomainRef(ref));
    applied.length = 0;
    expect(await run(activities.checkDomain, rival)).toMatchObject({ state: 'Verified' });
    expect(applied).toEqual(['acme shop.example undefined', 'other www.shop.example Verified']);
  });
});
