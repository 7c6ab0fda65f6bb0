import { afterEach, describe, expect, it } from 'vitest';
import { toolCacheDir, type ToolSearch } from '../../src/main/tools/tool.ts';
import { ownKinds } from '../../src/rules/own-kinds.ts';
import { until } from '../support/acme.ts';
import { type Knot, describeWithKnot, startKnot } from '../support/dns-servers.ts';
import { type DomainWorld, startDomainWorld } from '../support/domain-world.ts';
import { apply } from './control-plane/kubectl.ts';
import { startControlPlane } from './control-plane/start-control-plane.ts';
import { installKinds } from './install-kinds.ts';
import { openClusterStore } from './open-cluster-store.ts';
import { dnsEndpointCrd, externalDns, startExternalDns } from './tools/external-dns.ts';

const onProgress = (message: string) => void process.stderr.write(`${message}\n`);
const search: ToolSearch = { cacheDir: toolCacheDir(process.env), env: process.env, onProgress };
const program = await externalDns();
const describeWithBoth = program === undefined ? describe.skip : describeWithKnot;
const key = (text: string): string => Buffer.from(text.padEnd(32, '.')).toString('base64');
const tsig = { name: 'service', secret: key('the right one') };
const path = '/v1/orgs/acme/domains';

describeWithBoth('managed domains with the real ExternalDNS and a real server', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  });

  async function set(secret: string): Promise<{ world: DomainWorld; knot: Knot }> {
    // An installation of its own takes a cluster of its own.
    const cluster = await startControlPlane(search);
    stops.push(cluster.stop);
    await installKinds(cluster, [...ownKinds]);
    await apply(cluster, [await dnsEndpointCrd(search)]);
    const store = await openClusterStore(cluster);
    stops.push(async () => await store.close());
    const records = 'taken A 198.51.100.7\n*.wild A 198.51.100.8';
    const knot = await startKnot({ zones: [{ name: 'managed.test.', records }], tsig });
    stops.push(knot.stop);
    const controller = await startExternalDns({
      program: program ?? '',
      kubeconfig: cluster.kubeconfig,
      zone: 'managed.test',
      server: knot,
      tsig: { ...tsig, secret },
    });
    stops.push(controller.stop);
    const world = await startDomainWorld({ store, resolver: `127.0.0.1:${knot.port}` });
    stops.push(world.close);
    return { world, knot };
  }
  const claim = async (world: DomainWorld, name: string) => await world.call(path, 'POST', { name, kind: 'managed' });
  const read = async (world: DomainWorld, name: string) => {
    const { body } = await world.call(path);
    const { items } = body as unknown as {
      items: { name: string; status: { state: string; checks?: { ownership: { message: string; server: string } } } }[];
    };
    return items.find((one) => one.name === name);
  };

  it('are verified within seconds once the servers have the records, and leave none behind', async () => {
    const { world } = await set(tsig.secret);
    const startedAt = performance.now();
    expect((await claim(world, 'shop.managed.test')).status).toBe(201);
    const verified = await until(
      async () => await read(world, 'shop.managed.test'),
      (domain) => domain?.status.state === 'Verified',
    );
    process.stderr.write(`claimed to verified through ExternalDNS: ${Math.round(performance.now() - startedAt)} ms\n`);
    expect(verified?.status.checks?.ownership.server).toBe('ns.managed.test (127.0.0.1)');
    // A record that stood there before is nobody's to take.
    expect(await claim(world, 'taken.managed.test')).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('has a DNS record already') },
    });
    expect((await world.call(`${path}/shop.managed.test`, 'DELETE')).status).toBe(200);
    // Refused as long as the server still has the old records, and free when they are gone.
    await until(
      async () => await claim(world, 'shop.managed.test'),
      ({ status }) => status === 201,
    );
  });

  it('wait, and say whose credentials to look at, where the key is wrong', async () => {
    const { world } = await set(key('a wrong one'));
    expect((await claim(world, 'shop.managed.test')).status).toBe(201);
    const waiting = await until(
      async () => await read(world, 'shop.managed.test'),
      (domain) => domain?.status.checks?.ownership.message.includes('credentials') === true,
    );
    expect(waiting?.status.state).toBe('WaitingForDns');
  });
});
