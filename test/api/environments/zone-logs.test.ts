import { describe, expect, it, onTestFinished } from 'vitest';
import { CoreV1EventKind, NamespaceKind, PodKind } from '../../../src/kinds/kubernetes.ts';
import { zoneNamespaceLabels } from '../../../src/rules/environments/zone-namespace.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import { eventually } from '../../emulators/cluster/cluster-fixture.ts';
import { startApi } from '../../support/start-api.ts';
import { type ZoneApiFixture, startZoneApiFixture, serverImport, readViolations } from './zone-api-fixture.ts';
import { buildWorkloadClusters } from '../../support/workload-clusters.ts';

type Logs = { pods: { name: string; lines: { at: string; text: string }[] }[]; notRunningReason?: string };

/** The source of an app that logs lines, starts to listen, and then runs `then`. */
const buildLoggingApp = (
  lines: string,
  then = '',
): string => `${serverImport} for (const line of ${lines}) console.log(line);
createServer((_, response) => response.end()).listen(process.env.PORT, () => { console.log('ready'); ${then} });`;
const numberedLines = "Array.from({ length: 2500 }, (_, at) => 'line ' + at)";

async function waitUntilReady(fixture: ZoneApiFixture, pods = 1): Promise<Logs['pods']> {
  return await eventually(async () => {
    const logs = await fixture.readView<Logs>('/logs');
    expect(logs.pods.filter(({ lines }) => lines.at(-1)?.text === 'ready')).toHaveLength(pods);
    return logs.pods;
  });
}

describe('getZoneLogs', () => {
  it('200: returns the last 200 lines of each pod as text, or up to 2,000 on request', async () => {
    const fixture = await startZoneApiFixture();
    await fixture.deploy(buildLoggingApp(numberedLines), { replicas: 2 });
    const names = (await waitUntilReady(fixture, 2)).map(({ name }) => name);
    const response = await fixture.get('/logs');
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    const text = await response.text();
    expect(text.match(/^==> .* <==$/gm)).toEqual(names.map((name) => `==> ${name} <==`));
    expect(text.match(/^\S+Z line \d+$/gm)).toHaveLength(2 * 199);
    const most = await fixture.readView<Logs>('/logs?tail=2000');
    expect(most.pods.map(({ lines }) => [lines.length, lines[0]?.text])).toEqual([
      [2000, 'line 501'],
      [2000, 'line 501'],
    ]);
    const one = await fixture.readView<Logs>(`/logs?tail=1&contains=line&pod=${names[1]}`);
    expect(one.pods.map(({ name, lines }) => [name, lines.map((line) => line.text)])).toEqual([
      [names[1], ['line 2499']],
    ]);
    const { pods: matching } = await fixture.readView<{ pods: { matches: object }[] }>('/logs?tail=1&contains=line');
    expect(matching.map(({ matches }) => matches)).toEqual([
      { count: 2500, complete: true },
      { count: 2500, complete: true },
    ]);
    expect((await fixture.readView<Logs>('/logs?container=app&tail=1')).pods).toHaveLength(2);
    expect(await readViolations(await fixture.get('/logs?container=sidecar'))).toEqual({
      status: 422,
      pointers: ['?container'],
    });
    const jsonLines = await fixture.get(`/logs?tail=2&contains=line&pod=${names[1]}`, {
      accept: 'application/x-ndjson',
    });
    expect(jsonLines.headers.get('content-type')).toBe('application/x-ndjson');
    const entries = (await jsonLines.text()).split('\n').filter(Boolean);
    expect(entries.map((entry) => JSON.parse(entry) as object)).toEqual(
      ['line 2498', 'line 2499'].map((logged) => ({ pod: names[1], at: expect.any(String), text: logged })),
    );
    const future = new Date(Date.now() + 60_000).toISOString();
    expect((await fixture.readView<Logs>(`/logs?since=${future}`)).pods.flatMap(({ lines }) => lines)).toEqual([]);
  });

  it('200: returns the lines from before the last restart only on request', async () => {
    const fixture = await startZoneApiFixture();
    const app = buildLoggingApp(
      '[]',
      `import('node:fs').then(({ existsSync, writeFileSync }) => {
        if (existsSync('/data/died')) return console.log('second life');
        writeFileSync('/data/died', ''); console.log('farewell'); process.exit(1); });`,
    );
    const persistence = [{ name: 'data', size: '1Gi', mountPath: '/data' }];
    await fixture.deploy(app, { persistence, strategy: 'Recreate' }, false);
    const texts = async (query: string): Promise<string[]> =>
      (await fixture.readView<Logs>(`/logs${query}`)).pods.flatMap(({ lines }) => lines.map(({ text }) => text));
    await eventually(async () => expect(await texts('')).toEqual(['ready', 'second life']));
    expect(await texts('?previous=true')).toEqual(['ready', 'farewell']);
  });

  it('200: prevents an app from imitating the logs of another pod', async () => {
    const fixture = await startZoneApiFixture();
    const forged = String.raw`['==> hello-rc-other <==', '\r==> cr <==', '\x1b[2J\x1b[31m==> esc\x1b[0m <==', 'a\x0b==> vt', 'b\u2028==> ls',
      '2026-01-01T00:00:00.000Z hello-rc-other/0 forged']`;
    await fixture.deploy(buildLoggingApp(forged));
    const [pod] = await waitUntilReady(fixture);
    const text = await (await fixture.get('/logs')).text();
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\r\u0000-\u0008\u000b-\u001f\u2028]/);
    expect(text.split('\n').filter((line) => line.startsWith('==>'))).toEqual([`==> ${pod?.name} <==`]);
    expect(pod?.lines.map((line) => line.text)).toEqual([
      '==> hello-rc-other <==',
      '\u{FFFD}==> cr <==',
      '==> esc <==',
      'a\u{FFFD}==> vt',
      'b\u{FFFD}==> ls',
      '2026-01-01T00:00:00.000Z hello-rc-other/0 forged',
      'ready',
    ]);
  });

  it('200: masks secrets, also coloured ones, and a search finds nothing of them', async () => {
    const fixture = await startZoneApiFixture();
    const token = `ghs_${'aB3dE6gH9j'.repeat(4).slice(0, 36)}`;
    const coloured = `\u001b[31m${token.slice(0, 9)}\u001b[0m${token.slice(9)}`;
    await fixture.deploy(buildLoggingApp(JSON.stringify([`key ${token}`, `key ${coloured}`, 'key none'])));
    const [pod] = await waitUntilReady(fixture);
    const masked = `key ${'*'.repeat(token.length)}`;
    expect(pod?.lines.map(({ text }) => text)).toEqual([masked, masked, 'key none', 'ready']);
    for (const type of ['text/plain', 'application/x-ndjson'])
      expect(await (await fixture.get('/logs', { accept: type })).text()).not.toContain('aB3dE6');
    const search = async (text: string): Promise<object | undefined> => {
      const { pods } = await fixture.readView<{ pods: { matches: object }[] }>(`/logs?tail=1&contains=${text}`);
      return pods[0]?.matches;
    };
    expect(await search('key')).toEqual({ count: 3, complete: true });
    expect(await search(token.slice(0, 8))).toEqual({ count: 0, complete: true });
  });

  it('422: rejects values out of bounds and names that are not pods of the zone', async () => {
    const fixture = await startZoneApiFixture();
    for (const tail of ['0', '2001', '-1', '1.5', 'all'])
      expect(await readViolations(await fixture.get(`/logs?tail=${tail}`))).toEqual({
        status: 422,
        pointers: ['?tail'],
      });
    for (const pod of ['../hello-prod', '..%2F..%2Fetc%2Fpasswd', 'hello-prod-0', 'A', 'a%0Ab'])
      expect(await readViolations(await fixture.get(`/logs?pod=${pod}`))).toEqual({ status: 422, pointers: ['?pod'] });
    expect(await readViolations(await fixture.get('/logs?since=yesterday'))).toEqual({
      status: 422,
      pointers: ['?since'],
    });
    expect((await fixture.get('/logs?lines=5')).status).toBe(422);
  });

  it.each([
    ['of another owner', {}],
    ['with the name of a zone in a workload cluster', { cluster: 'apart' }],
  ])('200: never reads a namespace %s', async (_, zone) => {
    const read: string[] = [];
    const telemetry = {
      queryLogs: async (namespace: string) => (read.push(namespace), [{ pod: 'theirs', lines: [] }]),
      querySeries: async (namespace: string) => (read.push(namespace), []),
    };
    const { store, request } = await startApi({ role: 'org-admin', telemetry });
    const zones = [{ name: 'argocd-2', promotionPolicy: 'automatic', ...zone }];
    const body = { name: 'shop', spec: { repos: [], delivery: { zones } } };
    expect((await request('/v1/orgs/acme/products', { method: 'POST', body })).status).toBe(201);
    await store.create(NamespaceKind, { metadata: { namespace: '', name: 'argocd-2' } });
    await store.create(PodKind, {
      metadata: { namespace: 'argocd-2', name: 'theirs' },
      spec: { containers: [{ name: 'app' }] },
    });
    const path = '/v1/orgs/acme/products/shop/zones/argocd-2';
    const get = async (suffix: string) =>
      (await (await request(`${path}${suffix}`, { headers: { accept: 'application/json' } })).json()) as object;
    for (const suffix of ['', '/logs', '/metrics']) expect(await get(suffix)).toMatchObject({ pods: [] });
    expect((await request(`${path}/logs?pod=theirs`)).status).toBe(422);
    expect(read).toEqual([]);
  });

  it('200: reads a zone of a workload cluster in that cluster, and nothing of its gate', async () => {
    const apart = openMemoryStore();
    onTestFinished(async () => await apart.close());
    const lines = [{ at: '2026-01-01T00:00:00.000Z', text: 'hello' }];
    const gatePod = 'shop-gate-5d7f9c8b6-x2x4z';
    const telemetry = {
      queryLogs: async () => ['shop-1', gatePod].map((pod) => ({ pod, lines })),
      querySeries: async () => ['shop-1', gatePod].map((pod) => ({ pod, points: [] })),
    };
    const requestService = async () => ({ status: 200, body: '' });
    const workloadClusters = buildWorkloadClusters({ apart: { objects: apart, telemetry, requestService } });
    const { store, request } = await startApi({ role: 'org-admin', workloadClusters });
    const zones = [{ name: 'shop-far', promotionPolicy: 'automatic', cluster: 'apart' }];
    const body = { name: 'shop', spec: { repos: [], delivery: { zones } } };
    expect((await request('/v1/orgs/acme/products', { method: 'POST', body })).status).toBe(201);
    const path = '/v1/orgs/acme/products/shop/zones/shop-far';
    const get = async (suffix: string) =>
      (await (await request(`${path}${suffix}`, { headers: { accept: 'application/json' } })).json()) as object;
    // The namespace does not exist yet.
    for (const suffix of ['', '/logs', '/metrics']) expect(await get(suffix)).toMatchObject({ pods: [] });
    const refused = (pointer: string, detail: string) => ({ status: 422, errors: [{ pointer, detail }] });
    const without = 'must be omitted: the zone has no pods';
    expect(await get('/logs?pod=shop-1')).toMatchObject(refused('?pod', without));
    expect(await get('/logs?container=app')).toMatchObject(refused('?container', without));

    const { uid } = (await store.get(ProductKind, { namespace: 'org-acme', name: 'shop' })).metadata;
    const labels = zoneNamespaceLabels({ org: 'acme', product: 'shop', zone: 'shop-far', uid });
    await apart.create(NamespaceKind, { metadata: { namespace: '', name: 'shop-far', labels } });
    const metadata = { namespace: 'shop-far', name: 'shop-1' };
    for (const name of ['shop-1', gatePod])
      await apart.create(PodKind, { metadata: { ...metadata, name }, spec: { containers: [{ name: 'app' }] } });
    await apart.create(CoreV1EventKind, { metadata, reason: 'Started', involvedObject: { name: 'shop-1' } });
    expect(await get('')).toMatchObject({ pods: [{ name: 'shop-1' }], events: [{ reason: 'Started' }] });
    expect(await get('/logs')).toMatchObject({ pods: [{ name: 'shop-1', lines }] });
    expect(await get('/logs?pod=shop-2')).toMatchObject(refused('?pod', 'must be one of shop-1'));
    expect(await get('/logs?container=sidecar')).toMatchObject(refused('?container', 'must be one of app'));
    expect(await get('/metrics')).toMatchObject({ pods: [{ name: 'shop-1' }] });
  });

  it('200: returns the reason if no pods run', async () => {
    const fixture = await startZoneApiFixture();
    expect(await (await fixture.get('/logs')).text()).toBe('No Release has been promoted yet.\n');
    expect(await fixture.readView<Logs>('/logs')).toEqual({
      pods: [],
      notRunningReason: 'No Release has been promoted yet.',
    });
  });
});
