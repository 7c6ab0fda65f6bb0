import { afterEach, describe, expect, it } from 'vitest';
import { toolCacheDir, type ToolSearch } from '../../src/main/tools/tool.ts';
import { customResourceKinds } from '../../src/rules/custom-resource-kinds.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { type Knot, describeWithKnot, startKnot } from '../support/servers/dns-servers.ts';
import { type DomainHarness, startDomainHarness } from '../support/workflows/domain-harness.ts';
import { applyObjects } from './control-plane/kubectl.ts';
import { startControlPlane } from './control-plane/start-control-plane.ts';
import { installCrds } from './install-crds.ts';
import { openClusterStore } from './open-cluster-store.ts';
import { loadDnsEndpointCrd, ensureExternalDns, startExternalDns } from './tools/external-dns.ts';

const onProgress = (message: string) => void process.stderr.write(`${message}\n`);
const search: ToolSearch = { cacheDir: toolCacheDir(process.env), env: process.env, onProgress };
const program = await ensureExternalDns();
const describeWithBoth = program === undefined ? describe.skip : describeWithKnot;
const key = (text: string): string => Buffer.from(text.padEnd(32, '.')).toString('base64');
const tsig = { name: 'service', secret: key('the right one') };
const path = '/v1/orgs/acme/domains';

describeWithBoth('managed domains with the real ExternalDNS and a real server', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  });

  async function startInstallation(secret: string): Promise<{ world: DomainHarness; knot: Knot }> {
    // Each installation needs a separate cluster.
    const cluster = await startControlPlane(search);
    stops.push(cluster.stop);
    await installCrds(cluster, [...customResourceKinds]);
    await applyObjects(cluster, [await loadDnsEndpointCrd(search)]);
    const store = await openClusterStore(cluster);
    stops.push(async () => await store.close());
    const records = 'taken A 198.51.100.7\n*.wild A 198.51.100.8';
    const knot = await startKnot({ zones: [{ name: 'managed.test.', records }], tsig });
    stops.push(knot.stop);
    const controller = await startExternalDns({
      program: program ?? '',
      kubeconfig: cluster.kubeconfig,
      dnsZone: 'managed.test',
      server: knot,
      tsig: { ...tsig, secret },
    });
    stops.push(controller.stop);
    const world = await startDomainHarness({ store, resolver: `127.0.0.1:${knot.port}` });
    stops.push(world.close);
    return { world, knot };
  }
  const claim = async (world: DomainHarness, name: string) =>
    await world.callApi(path, 'POST', { name, kind: 'managed' });
  const read = async (world: DomainHarness, name: string) => {
    const { body } = await world.callApi(path);
    const { items } = body as unknown as {
      items: { name: string; status: { state: string; checks?: { ownership: { message: string; server: string } } } }[];
    };
    return items.find((one) => one.name === name);
  };

  it('are verified within seconds of their records, and leave no records when deleted', async () => {
    const { world } = await startInstallation(tsig.secret);
    const startedAt = performance.now();
    expect((await claim(world, 'shop.managed.test')).status).toBe(201);
    const verified = await waitUntil(
      async () => await read(world, 'shop.managed.test'),
      (domain) => domain?.status.state === 'Verified',
    );
    process.stderr.write(`claimed to verified through ExternalDNS: ${Math.round(performance.now() - startedAt)} ms\n`);
    expect(verified?.status.checks?.ownership.server).toBe('ns.managed.test (127.0.0.1)');
    // A name with an existing DNS record cannot be claimed.
    expect(await claim(world, 'taken.managed.test')).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('has a DNS record that the service did not create') },
    });
    expect((await world.callApi(`${path}/shop.managed.test`, 'DELETE')).status).toBe(200);
    // The claim fails until the server has removed the old records.
    await waitUntil(
      async () => await claim(world, 'shop.managed.test'),
      ({ status }) => status === 201,
    );
  });

  it('wait and name the credentials to check when the key is wrong', async () => {
    const { world } = await startInstallation(key('a wrong one'));
    expect((await claim(world, 'shop.managed.test')).status).toBe(201);
    const waiting = await waitUntil(
      async () => await read(world, 'shop.managed.test'),
      (domain) => domain?.status.checks?.ownership.message.includes('credentials') === true,
    );
    expect(waiting?.status.state).toBe('WaitingForDns');
  });
});
