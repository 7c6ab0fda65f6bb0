import { expect, it, vi } from 'vitest';
import { createDomainActivities } from '../../../activities/domains/domain-activities.ts';
import { recordChecks, sweepRound, sweepShard } from '../../../activities/domains/sweep-shard.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { challengeName, challengeValue } from '../../../src/rules/domains/dns-records.ts';
import { DomainKind, sweepShardLabel } from '../../../src/rules/domains/kinds.ts';
import { sweepConfigMapName } from '../../../src/rules/domains/sweep-buckets.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { setRestorePhase } from '../../support/set-restore-phase.ts';
import { buildDomainSettings } from '../../support/start-api.ts';
import { createFakeDns } from './fake-dns.ts';

const ref = { namespace: 'org-acme', name: 'shop.example' };

async function createHarness(shard = 0) {
  const store = openTestStore();
  const domain = await store.create(DomainKind, {
    metadata: { ...ref, labels: { [sweepShardLabel]: String(shard) } },
    spec: { name: ref.name, kind: 'external', shared: false, token: 't' },
  });
  const { dns, texts } = createFakeDns();
  const notified: string[] = [];
  const deps = {
    store,
    dns,
    domains: buildDomainSettings(),
    isProxied: () => false,
    allowedInside: [],
    notifyDomainWorkflow: async ({ org, domain: name }: { org: string; domain: string }) =>
      void notified.push(`${org} ${name}`),
    now: () => new Date(60_000_000),
  };
  return { store, deps, domain, texts, notified };
}

it('records changed checks and notifies the domain workflow once per change', async () => {
  const { deps, store, texts, notified } = await createHarness();
  await sweepRound(deps, 0, { after: -1, upTo: 0 });
  await sweepRound(deps, 0, { after: 0, upTo: 1 });
  expect(notified).toEqual(['acme shop.example']);
  texts[challengeName(ref.name)] = challengeValue('t');
  await sweepRound(deps, 0, { after: 1, upTo: 2 });
  expect(notified).toEqual(['acme shop.example', 'acme shop.example']);
  expect((await store.get(DomainKind, ref)).status?.checks?.ownership.verdict).toBe('verified');
});

it.each([
  [0, '1000'],
  // The rounds of this shard begin 18 seconds later.
  [3, '999'],
])('records the time of a round of shard %i and stops when it is cancelled', async (shard, round) => {
  const { deps, store } = await createHarness(shard);
  const abort = new AbortController();
  const notifyDomainWorkflow = async (): Promise<void> => abort.abort();
  const sweep = sweepShard({ ...deps, notifyDomainWorkflow }, { shard, intervalMs: 60_000, rounds: 2 }, abort.signal);
  await expect(sweep).rejects.toThrow('aborted');
  const name = sweepConfigMapName(shard);
  const { data } = await store.get(ConfigMapKind, { namespace: 'service-system', name });
  expect(data).toMatchObject({ round, pending: new Date(60_000_000).toISOString() });
});

it('replaces the time of the round before', async () => {
  const { deps, store } = await createHarness();
  const metadata = { namespace: 'service-system', name: sweepConfigMapName(0) };
  await store.create(ConfigMapKind, { metadata, data: { round: '998', pending: 'earlier' } });
  await sweepRound(deps, 0, { after: 998, upTo: 1000 });
  const { data } = await store.get(ConfigMapKind, metadata);
  expect(data).toMatchObject({ round: '1000', pending: new Date(60_000_000).toISOString() });
});

it('records no checks of a deleted domain', async () => {
  const { deps, store, domain } = await createHarness();
  await sweepRound(deps, 0, { after: -1, upTo: 0 });
  const { status } = await store.get(DomainKind, ref);
  await store.delete(DomainKind, ref);
  expect(status?.checks && (await recordChecks(deps, domain, status.checks))).toBe(false);
});

it('queries all servers before a verified domain fails, and believes the one that lags behind no more', async () => {
  const { deps, store, texts, notified } = await createHarness();
  texts[challengeName(ref.name)] = challengeValue('t');
  await sweepRound(deps, 0, { after: -1, upTo: 0 });
  const lagging = {
    ...deps,
    dns: {
      ...deps.dns,
      lookupTxt: async (name: string, options: { allServers?: boolean } = {}) =>
        await deps.dns.lookupTxt(options.allServers === true ? name : 'lagging.example'),
    },
  };
  await sweepRound(lagging, 0, { after: 0, upTo: 30 });
  expect(notified).toHaveLength(1);
  const { lastCheckedAt } = (await store.get(DomainKind, ref)).status ?? {};
  expect(lastCheckedAt).toBe(new Date(60_000_000).toISOString());
  expect((await store.get(DomainKind, ref)).status?.checks?.ownership.verdict).toBe('verified');
  delete texts[challengeName(ref.name)];
  await sweepRound(lagging, 0, { after: 30, upTo: 60 });
  expect(notified).toHaveLength(2);
  expect((await store.get(DomainKind, ref)).status?.checks?.ownership.verdict).toBe('missing');
});

it('queries all servers only for a domain that was verified', async () => {
  const { deps, texts, notified } = await createHarness();
  const asked: boolean[] = [];
  const lookupTxt: typeof deps.dns.lookupTxt = async (name, options) => {
    asked.push(options?.allServers ?? false);
    return await deps.dns.lookupTxt(name);
  };
  const watched = { ...deps, dns: { ...deps.dns, lookupTxt } };
  await sweepRound(watched, 0, { after: -1, upTo: 0 });
  texts[challengeName(ref.name)] = challengeValue('other');
  await sweepRound(watched, 0, { after: 0, upTo: 1 });
  texts[challengeName(ref.name)] = challengeValue('t');
  await sweepRound(watched, 0, { after: 1, upTo: 2 });
  expect(asked).toEqual([false, false, false]);
  await sweepRound(watched, 0, { after: 2, upTo: 30 });
  expect(asked).toEqual([false, false, false, false]);
  expect(notified).toHaveLength(3);
});

it('writes no times when another attempt has written later ones, and passes on any other error', async () => {
  const { deps, store } = await createHarness();
  const metadata = { namespace: 'service-system', name: sweepConfigMapName(0) };
  await store.create(ConfigMapKind, { metadata, data: { round: '5', kept: 'yes' } });
  const { replace } = store;
  const raced = vi.spyOn(store, 'replace').mockImplementationOnce(async (kind, object) => {
    await replace(ConfigMapKind, { ...(await store.get(ConfigMapKind, metadata)), data: { round: '7' } });
    return await replace(kind, object);
  });
  await sweepRound(deps, 0, { after: 5, upTo: 6 });
  expect((await store.get(ConfigMapKind, metadata)).data).toEqual({ round: '7' });
  raced.mockRejectedValueOnce(new Error('The store is away.'));
  await expect(sweepRound(deps, 0, { after: 5, upTo: 6 })).rejects.toThrow('The store is away.');
});

it('goes on when a person deletes the times of the rounds', async () => {
  const { deps, store } = await createHarness();
  const metadata = { namespace: 'service-system', name: sweepConfigMapName(0) };
  await store.create(ConfigMapKind, { metadata, data: { round: '5' } });
  const { replace } = store;
  vi.spyOn(store, 'replace').mockImplementationOnce(async (kind, object) => {
    await store.delete(ConfigMapKind, metadata);
    return await replace(kind, object);
  });
  for (const upTo of [6, 7]) await sweepRound(deps, 0, { after: upTo - 1, upTo });
  expect((await store.get(ConfigMapKind, metadata)).data).toMatchObject({ round: '7' });
});

it('passes on an error of the store when it records checks', async () => {
  const { deps, store } = await createHarness();
  vi.spyOn(store, 'updateStatus').mockRejectedValueOnce(new Error('The store is away.'));
  await expect(sweepRound(deps, 0, { after: -1, upTo: 0 })).rejects.toThrow('The store is away.');
});

it('checks the domains of its own shard that are due, all of them', async () => {
  const { deps, store, notified } = await createHarness();
  for (let number = 0; number < 120; number += 1)
    await store.create(DomainKind, {
      metadata: { ...ref, name: `n${number}.example`, labels: { [sweepShardLabel]: number < 110 ? '0' : '1' } },
      spec: { name: `n${number}.example`, kind: 'external', shared: false, token: 't' },
    });
  await sweepRound(deps, 0, { after: -1, upTo: 0 });
  expect(new Set(notified).size).toBe(111);
  await sweepRound(deps, 7, { after: -1, upTo: 0 });
  expect(notified).toHaveLength(111);
  const times = await store.find(ConfigMapKind, { namespace: 'service-system', name: sweepConfigMapName(7) });
  expect(times).toBeUndefined();
});

it.each([
  ['earlier', new Date(60_000_000 - 1).toISOString(), '1001'],
  ['at this time', new Date(60_000_000).toISOString(), '1001'],
  ['in the future, by a clock that was set back', new Date(60_000_001).toISOString(), '1000'],
])('continues after the round that was recorded %s', async (_name, pending, round) => {
  const { deps, store } = await createHarness();
  const metadata = { namespace: 'service-system', name: sweepConfigMapName(0) };
  await store.create(ConfigMapKind, { metadata, data: { round: '1000', pending } });
  const abort = new AbortController();
  const notifyDomainWorkflow = async (): Promise<void> => abort.abort();
  const sweep = sweepShard(
    { ...deps, notifyDomainWorkflow },
    { shard: 0, intervalMs: 60_000, rounds: 2 },
    abort.signal,
  );
  await expect(sweep).rejects.toThrow('aborted');
  expect((await store.get(ConfigMapKind, metadata)).data?.['round']).toBe(round);
});

it('sweeps as many rounds as it is asked for, one per interval', async () => {
  const { deps, store } = await createHarness();
  let nowMs = 60_000_000;
  // The clock stands at the end of the interval whenever it is read.
  const now = () => new Date((nowMs += 10));
  await sweepShard({ ...deps, now }, { shard: 0, intervalMs: 20, rounds: 3 }, new AbortController().signal);
  const { data } = await store.get(ConfigMapKind, { namespace: 'service-system', name: sweepConfigMapName(0) });
  expect(Number(data?.['round'])).toBeGreaterThanOrEqual(3_000_002);
});

it('starts no round after it was cancelled', async () => {
  const { deps, notified } = await createHarness();
  const sweep = sweepShard(
    deps,
    { shard: 0, intervalMs: 60_000, rounds: 1 },
    AbortSignal.abort(new Error('cancelled')),
  );
  await expect(sweep).rejects.toThrow('cancelled');
  expect(notified).toEqual([]);
});

it('keeps the status of a domain, and writes none of another with its name', async () => {
  const { deps, store, domain } = await createHarness();
  await sweepRound(deps, 0, { after: -1, upTo: 0 });
  const { status } = await store.get(DomainKind, ref);
  expect(status).toMatchObject({
    state: 'WaitingForDns',
    claimedAt: domain.metadata.creationTimestamp,
    lastCheckedAt: new Date(60_000_000).toISOString(),
  });
  if (!status?.checks) throw new Error('The domain was not checked.');
  await store.updateStatus(DomainKind, ref, () => ({ ...status, state: 'Verified' as const }));
  expect(await recordChecks(deps, domain, status.checks)).toBe(true);
  expect((await store.get(DomainKind, ref)).status?.state).toBe('Verified');
  await store.delete(DomainKind, ref);
  await store.create(DomainKind, { metadata: ref, spec: domain.spec });
  await recordChecks(deps, domain, status.checks);
  expect((await store.get(DomainKind, ref)).status).toBeUndefined();
});

it('leaves out the rounds during a restore, and checks their domains after it', async () => {
  const { deps, store, notified } = await createHarness();
  await setRestorePhase(store, 'Restoring');
  let time = 60_000_000;
  const now = (): Date => new Date((time += 1));
  await sweepShard({ ...deps, now }, { shard: 0, intervalMs: 1, rounds: 2 }, new AbortController().signal);
  expect(await store.get(DomainKind, ref)).not.toHaveProperty('status');
  await setRestorePhase(store, 'Succeeded');
  await sweepShard({ ...deps, now }, { shard: 0, intervalMs: 1, rounds: 1 }, new AbortController().signal);
  expect(notified).toEqual(['acme shop.example']);
});

/** Creates domains of the service, whose workflow judges a signal at once. The next signals in number are lost. */
async function createJudgedHarness() {
  const { store, deps, texts } = await createHarness();
  await store.delete(DomainKind, ref);
  const clock = { now: new Date(60_000_000) };
  const base = { ...deps, now: () => clock.now, applyDomainState: async () => {} };
  const activities = createDomainActivities(base);
  const signals = { lost: 0, received: [] as string[] };
  const notifyDomainWorkflow: typeof deps.notifyDomainWorkflow = async ({ org, domain }) => {
    if (signals.lost > 0) {
      signals.lost -= 1;
      throw new Error('Temporal is away.');
    }
    signals.received.push(`${org} ${domain}`);
    await activities.refreshDomainState({ org, domain });
  };
  const claim = async (org: string): Promise<void> => {
    await activities.claimDomain({ org, domain: ref.name, kind: 'external', shared: false });
  };
  const read = async (org: string) => await store.get(DomainKind, { namespace: `org-${org}`, name: ref.name });
  const prove = async (org: string): Promise<void> =>
    void (texts[challengeName(ref.name)] = challengeValue((await read(org)).spec.token));
  let last = -1;
  /** Sweeps as many rounds one by one, which is each waiting domain in each, and each other domain once in 30. */
  const sweep = async (rounds: number): Promise<void> => {
    for (let done = 0; done < rounds; done += 1) {
      await sweepRound({ ...base, notifyDomainWorkflow }, 0, { after: last, upTo: last + 1 });
      last += 1;
    }
  };
  /** Repeats the round as the next attempt does, because no round was recorded. */
  const sweepWithLostSignal = async (): Promise<void> => {
    signals.lost = 1;
    await expect(sweep(30)).rejects.toThrow('Temporal is away.');
    expect(signals).toEqual({ lost: 0, received: [] });
  };
  return { activities, clock, texts, signals, claim, read, prove, sweep, sweepWithLostSignal };
}

it('signals the workflow again when the signal of a proven domain was lost, until it has judged', async () => {
  const { signals, claim, read, prove, sweep, sweepWithLostSignal } = await createJudgedHarness();
  await claim('acme');
  await prove('acme');
  await sweepWithLostSignal();
  expect((await read('acme')).status).toMatchObject({
    state: 'WaitingForDns',
    checks: { ownership: { verdict: 'verified' } },
  });
  await sweep(1);
  expect((await read('acme')).status).toMatchObject({ state: 'Verified' });
  await sweep(60);
  expect(signals.received).toEqual(['acme shop.example']);
});

it('signals the workflow again when the signal of a lost record was lost, until its grace period runs', async () => {
  const { signals, texts, claim, read, prove, sweep, sweepWithLostSignal } = await createJudgedHarness();
  await claim('acme');
  await prove('acme');
  await sweep(1);
  signals.received.splice(0);
  delete texts[challengeName(ref.name)];
  await sweepWithLostSignal();
  expect((await read('acme')).status).not.toHaveProperty('absentSince');
  await sweep(30);
  expect((await read('acme')).status).toMatchObject({ state: 'Verified', absentSince: expect.any(String) });
  await sweep(60);
  expect(signals.received).toEqual(['acme shop.example']);
});

it('signals the workflow of a displaced domain with its record once in 30 rounds, and it is verified after its rival', async () => {
  const { activities, clock, signals, claim, read, prove, sweep } = await createJudgedHarness();
  await claim('other');
  clock.now = new Date(Date.now() + 8 * 24 * 60 * 60_000);
  await claim('acme');
  await prove('acme');
  await sweep(1);
  expect((await read('other')).status).toMatchObject({ state: 'Failed' });
  await prove('other');
  await sweep(30);
  expect((await read('other')).status).toMatchObject({
    state: 'Failed',
    checks: { ownership: { verdict: 'verified' } },
  });
  signals.received.splice(0);
  await sweep(60);
  expect(signals.received.filter((signal) => signal === 'other shop.example')).toHaveLength(2);
  await activities.deleteDomainResources({ org: 'acme', domain: ref.name });
  await sweep(30);
  expect((await read('other')).status).toMatchObject({ state: 'Verified' });
});

it('signals no workflow about unchanged checks of a Domain that the service did not create', async () => {
  const { deps, texts, notified } = await createHarness();
  texts[challengeName(ref.name)] = challengeValue('t');
  await sweepRound(deps, 0, { after: -1, upTo: 0 });
  await sweepRound(deps, 0, { after: 0, upTo: 1 });
  expect(notified).toEqual(['acme shop.example']);
});
