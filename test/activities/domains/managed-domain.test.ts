import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { createDomainActivities } from '../../../activities/domains/domain-activities.ts';
import type { Dns } from '../../../src/integrations/dns/dns.ts';
import { DnsEndpointKind } from '../../../src/kinds/external-dns.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { acceptedGenerationAnnotation } from '../../../src/rules/conditions.ts';
import { addressReservationLabels } from '../../../src/rules/domains/address-reservations.ts';
import { DomainKind, sweepShardLabel } from '../../../src/rules/domains/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { buildDomainSettings } from '../../support/start-api.ts';
import { createFakeDns } from './fake-dns.ts';

const ref = { org: 'acme', domain: 'shop.managed.test' };
const toRef = ({ org, domain }: typeof ref) => ({ namespace: `org-${org}`, name: domain });
const managed = { kind: 'managed' as const, shared: true };
const ingress = '192.0.2.1';

function createHarness(over: Partial<Dns> = {}) {
  const store = openTestStore();
  const { dns, texts, addresses } = createFakeDns();
  const clock = { now: new Date() };
  const domains = buildDomainSettings();
  const activities = createDomainActivities({
    store,
    dns: { ...dns, ...over },
    domains,
    isProxied: () => false,
    allowedInside: [],
    notifyDomainWorkflow: async () => {},
    applyDomainState: async () => {},
    now: () => clock.now,
  });
  const run = async <Input, Output>(activity: (input: Input) => Promise<Output>, input: Input): Promise<Output> =>
    await new MockActivityEnvironment().run(activity, input);
  return { store, activities, texts, addresses, run, dns, clock, domains };
}

describe('claimDomain of a managed domain', () => {
  it('requests its records, and creates it as accepted and in a shard', async () => {
    const { store, activities } = createHarness();
    expect(await activities.claimDomain({ ...ref, ...managed })).toMatchObject({ kind: 'managed' });
    const domain = await store.get(DomainKind, toRef(ref));
    expect(domain).toMatchObject({
      metadata: { labels: { [sweepShardLabel]: '0' }, annotations: { [acceptedGenerationAnnotation]: '1' } },
      spec: { name: ref.domain, kind: 'managed', shared: true, token: expect.stringMatching(/^[0-9a-f]{40}$/) },
      status: { state: 'WaitingForDns', claimedAt: domain.metadata.creationTimestamp },
    });
    expect((await store.list(DnsEndpointKind)).items.map(({ metadata }) => metadata.name)).toEqual([ref.domain]);
  });

  it('keeps what was recorded since, and does not look at its own records when repeated', async () => {
    const { store, activities, addresses } = createHarness();
    await activities.claimDomain({ ...ref, ...managed });
    await store.updateStatus(
      DomainKind,
      toRef(ref),
      ({ status }) => status && { ...status, state: 'Verified' as const },
    );
    addresses[ref.domain] = ingress;
    await activities.claimDomain({ ...ref, ...managed });
    expect((await store.get(DomainKind, toRef(ref))).status?.state).toBe('Verified');
  });

  it('refuses a name that has a record of its own', async () => {
    const { store, activities, addresses } = createHarness();
    addresses[ref.domain] = '198.51.100.7';
    await expect(activities.claimDomain({ ...ref, ...managed })).rejects.toMatchObject({ reason: 'dns-record-exists' });
    expect((await store.list(DomainKind)).items).toEqual([]);
    // An external domain has records of its owner.
    await activities.claimDomain({ ...ref, kind: 'external', shared: false });
    expect((await store.list(DnsEndpointKind)).items).toEqual([]);
  });

  it('ends the records of a verified Domain that was deleted with kubectl', async () => {
    const { store, activities, addresses, run } = createHarness();
    await activities.claimDomain({ ...ref, ...managed });
    addresses[ref.domain] = ingress;
    addresses[`*.${ref.domain}`] = ingress;
    expect(await run(activities.checkDomain, ref)).toMatchObject({ state: 'Verified' });
    await store.delete(DomainKind, toRef(ref));
    const rival = { ...ref, org: 'other', ...managed };
    await expect(activities.claimDomain(rival)).rejects.toMatchObject({ reason: 'dns-record-exists' });
    expect((await store.list(DnsEndpointKind)).items).toEqual([]);
    delete addresses[ref.domain];
    delete addresses[`*.${ref.domain}`];
    expect(await activities.claimDomain(rival)).toMatchObject({ state: 'WaitingForDns' });
  });

  it('ends the records of an unverified Domain that was deleted with kubectl, also for its own org', async () => {
    const { store, activities, addresses, clock } = createHarness();
    await activities.claimDomain({ ...ref, ...managed });
    addresses[ref.domain] = ingress;
    await store.delete(DomainKind, toRef(ref));
    clock.now = new Date(clock.now.getTime() + 60 * 60_000);
    await expect(activities.claimDomain({ ...ref, ...managed })).rejects.toMatchObject({ reason: 'dns-record-exists' });
    expect((await store.list(DnsEndpointKind)).items).toEqual([]);
    delete addresses[ref.domain];
    expect(await activities.claimDomain({ ...ref, ...managed })).toMatchObject({ state: 'WaitingForDns' });
  });

  it('accepts a name that only a wildcard answers', async () => {
    const { activities, addresses } = createHarness();
    addresses['*.managed.test'] = '198.51.100.7';
    expect(await activities.claimDomain({ ...ref, ...managed })).toMatchObject({ state: 'WaitingForDns' });
  });

  it.each(['lookupAddresses', 'lookupTxt'] as const)('refuses a name when %s fails', async (name) => {
    const observed = await createFakeDns().dns[name]('');
    const { activities } = createHarness({ [name]: async () => ({ ...observed, outcome: 'unknown' as const }) });
    await expect(activities.claimDomain({ ...ref, ...managed })).rejects.toMatchObject({ reason: 'dns-lookup-failed' });
  });
});

describe('waitForManagedDomain', () => {
  it('returns as soon as the records exist, and nothing for a domain that is gone', async () => {
    const { activities, addresses, run } = createHarness();
    await activities.claimDomain({ ...ref, ...managed });
    setTimeout(() => {
      addresses[ref.domain] = ingress;
      addresses[`*.${ref.domain}`] = ingress;
    }, 20);
    const wait = { timeoutMs: 60_000, intervalMs: 5 };
    expect(await run(activities.waitForManagedDomain, { ...ref, ...wait })).toMatchObject({ state: 'Verified' });
    expect(await run(activities.waitForManagedDomain, { org: 'acme', domain: 'gone.test', ...wait })).toBeUndefined();
  });
});

describe('checkDomain of a managed domain', () => {
  it('requests its records again when the ingress has changed, or when they are gone', async () => {
    const { store, activities, domains } = createHarness();
    await activities.claimDomain({ ...ref, ...managed });
    const readTargets = async () =>
      (await store.list(DnsEndpointKind)).items.flatMap(({ spec }) => spec.endpoints.flatMap(({ targets }) => targets));
    const before = await readTargets();
    domains.ingress = { host: undefined, addresses: ['192.0.2.99'] };
    await activities.checkDomain(ref);
    expect([new Set(before).size, await readTargets()]).toEqual([1, ['192.0.2.99', '192.0.2.99']]);
    await store.delete(DnsEndpointKind, { namespace: 'service-system', name: ref.domain });
    await activities.checkDomain(ref);
    expect(await readTargets()).toEqual(['192.0.2.99', '192.0.2.99']);
  });

  it('returns nothing for a domain that is removed while it is judged', async () => {
    const { store, activities } = createHarness();
    await activities.claimDomain({ ...ref, ...managed });
    const { updateStatus } = store;
    store.updateStatus = async (kind, at, update) => {
      await activities.deleteDomainResources(ref);
      return await updateStatus(kind, at, update);
    };
    expect(await activities.refreshDomainState(ref)).toBeUndefined();
  });

  it('requests no records for a domain that is removed meanwhile', async () => {
    const { store, activities } = createHarness();
    await activities.claimDomain({ ...ref, ...managed });
    const { create } = store;
    await store.delete(DnsEndpointKind, { namespace: 'service-system', name: ref.domain });
    store.create = async (kind, object) => {
      if (kind.kind === DnsEndpointKind.kind) await activities.deleteDomainResources(ref);
      return await create(kind, object);
    };
    await activities.checkDomain(ref).catch(() => undefined);
    expect(await store.find(DomainKind, toRef(ref))).toBeUndefined();
    expect((await store.list(DnsEndpointKind)).items).toEqual([]);
  });
});

describe('beginDomainRemoval', () => {
  const reserve = (domainOrg: string) => ({
    metadata: {
      namespace: 'service-system',
      name: `address-${domainOrg}`,
      labels: addressReservationLabels(ref.domain),
    },
    data: { domain: ref.domain, domainOrg, product: 'shop', zone: 'shop-prod', host: `www.${ref.domain}` },
  });

  it('names the zone that uses the domain, and takes the message back', async () => {
    const { store, activities } = createHarness();
    await activities.claimDomain({ ...ref, ...managed });
    await store.create(ConfigMapKind, reserve('acme'));
    await expect(activities.beginDomainRemoval(ref)).rejects.toThrow(
      `the zone "shop-prod" of Product "shop" has the address www.${ref.domain}.`,
    );
    const { status } = await store.get(DomainKind, toRef(ref));
    expect(status).toMatchObject({ state: 'WaitingForDns', message: 'The service is creating the DNS records.' });
    expect(status).not.toHaveProperty('removalMessage');
  });

  it('is not stopped by an address under a domain of another org', async () => {
    const { store, activities } = createHarness();
    await activities.claimDomain({ ...ref, ...managed });
    await store.create(ConfigMapKind, reserve('other'));
    await activities.beginDomainRemoval(ref);
    expect((await store.get(DomainKind, toRef(ref))).status).toMatchObject({
      state: 'WaitingForDns',
      removalMessage: 'it is being removed',
    });
  });

  it('does nothing to a domain that is gone, and starts a status where there is none', async () => {
    const { store, activities } = createHarness();
    await activities.beginDomainRemoval(ref);
    expect((await store.list(DomainKind)).items).toEqual([]);
    const spec = { name: ref.domain, ...managed, token: 't' };
    await store.create(DomainKind, { metadata: toRef(ref), spec });
    await activities.beginDomainRemoval(ref);
    expect((await store.get(DomainKind, toRef(ref))).status).toEqual({
      state: 'WaitingForDns',
      claimedAt: expect.any(String),
      removalMessage: 'it is being removed',
    });
  });
});

describe('deleteDomainResources', () => {
  it('keeps the records of a managed domain that another org has claimed meanwhile', async () => {
    const { store, activities, clock } = createHarness();
    const next = { ...ref, org: 'next' };
    await activities.claimDomain({ ...ref, ...managed });
    clock.now = new Date(clock.now.getTime() + 8 * 24 * 60 * 60_000);
    await activities.claimDomain({ ...next, ...managed });
    await activities.deleteDomainResources(ref);
    expect((await store.list(DnsEndpointKind)).items).toHaveLength(1);
    await activities.deleteDomainResources(next);
    expect((await store.list(DnsEndpointKind)).items).toEqual([]);
  });

  it.each([
    ['managed', 0],
    ['external', 1],
  ] as const)('removes the records of a managed domain only: %s', async (kind, left) => {
    const { store, activities } = createHarness();
    await activities.claimDomain({ ...ref, kind, shared: false });
    if (kind === 'external')
      await store.create(DnsEndpointKind, {
        metadata: { namespace: 'service-system', name: ref.domain },
        spec: { endpoints: [] },
      });
    await activities.deleteDomainResources(ref);
    expect((await store.list(DnsEndpointKind)).items).toHaveLength(left);
    expect(await store.find(DomainKind, toRef(ref))).toBeUndefined();
  });
});
