import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, inject, it } from 'vitest';
import { createDomainActivities } from '../../activities/domains/domain-activities.ts';
import { applyDomainState } from '../../src/reconcile/apply-domain-state.ts';
import { challengeName, challengeValue } from '../../src/rules/domains/dns-records.ts';
import { DomainKind, type DomainStatus } from '../../src/rules/domains/kinds.ts';
import { createFakeDns } from '../activities/domains/fake-dns.ts';
import { buildDomainSettings } from '../support/start-api.ts';
import { startDeliveryHarness, type DeliveryHarness } from './argo-cd/delivery-harness.ts';
import { kubectl } from './control-plane/kubectl.ts';

const cluster = inject('cluster');
const domain = `d${crypto.randomUUID().slice(0, 8)}.example`;
const host = `www.${domain}`;
const { dns, texts } = createFakeDns();
const clock = { now: new Date() };
const passDays = (days: number) => void (clock.now = new Date(clock.now.getTime() + days * 24 * 60 * 60_000));
const release = { version: 'v0.1.0', digest: `sha256:${'1'.repeat(64)}` };

/** Lists the namespaces whose Ingresses serve the host. */
async function listServers(): Promise<string[]> {
  type Ingress = { metadata: { namespace: string }; spec: { rules?: { host?: string }[] } };
  const text = await kubectl(cluster, ['get', 'ingresses', '--all-namespaces', '-o', 'json']);
  const { items } = JSON.parse(text) as { items: Ingress[] };
  return items
    .filter(({ spec }) => spec.rules?.some((rule) => rule.host === host))
    .map((one) => one.metadata.namespace);
}
const serves = async (...zones: string[]) =>
  await expect.poll(listServers, { timeout: 90_000, interval: 300 }).toEqual(zones);

/** Starts an org that can claim and prove the domain, and deploys a zone at the host. */
async function startOwner() {
  const delivery: DeliveryHarness = await startDeliveryHarness();
  const { org, store, client, namespace } = delivery;
  const config = { zoneAddress: delivery.zoneAddress, domains: buildDomainSettings({ platformDomain: 'localhost' }) };
  const activities = createDomainActivities({
    store,
    dns,
    domains: config.domains,
    isProxied: () => false,
    allowedInside: [],
    notifyDomainWorkflow: async () => {},
    applyDomainState: async (ref) => await applyDomainState({ store, temporal: client, config }, ref),
    now: () => clock.now,
  });
  const run = async <Input, Output>(activity: (input: Input) => Promise<Output>, input: Input): Promise<Output> =>
    await new MockActivityEnvironment().run(activity, input);
  return {
    async claim(): Promise<void> {
      await run(activities.claimDomain, { org, domain, kind: 'external', shared: false });
    },
    async publishRecord(): Promise<void> {
      const { spec } = await store.get(DomainKind, { namespace, name: domain });
      texts[challengeName(domain)] = challengeValue(spec.token);
    },
    check: async (): Promise<DomainStatus['state'] | undefined> =>
      (await run(activities.checkDomain, { org, domain }))?.state,
    async deployZone(): Promise<string> {
      const { product, zone } = await delivery.createProduct([{ addresses: [{ domain, name: 'www' }] }]);
      await delivery.promoteAndVerify(product, zone, release);
      return zone;
    },
  };
}

it('serves a host only from the org that has proven its domain, while the domain fails and changes hands', async () => {
  const [first, second] = [await startOwner(), await startOwner()];
  await first.claim();
  await first.publishRecord();
  expect(await first.check()).toBe('Verified');
  const zone = await first.deployZone();
  await serves(zone);

  delete texts[challengeName(domain)];
  expect(await first.check()).toBe('Verified');
  passDays(8);
  expect(await first.check()).toBe('Failed');
  await serves();

  await second.claim();
  await second.publishRecord();
  expect(await second.check()).toBe('Verified');
  const successor = await second.deployZone();
  await serves(successor);

  await first.publishRecord();
  expect(await first.check()).toBe('Failed');
  expect(await second.check()).toBe('Verified');
  passDays(8);
  expect(await second.check()).toBe('Failed');
  await serves();
  expect(await first.check()).toBe('Verified');
  await serves(zone);
});
