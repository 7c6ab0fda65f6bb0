import { expect, it } from 'vitest';
import { recordChecks, sweepRound, sweepShard } from '../../../activities/domains/sweep-shard.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { challengeName, challengeValue } from '../../../src/rules/domains/dns-records.ts';
import { DomainKind, sweepShardLabel } from '../../../src/rules/domains/kinds.ts';
import { sweepConfigMapName } from '../../../src/rules/domains/sweep-buckets.ts';
import { openTestStore } from '../../support/open-test-store.ts';
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
