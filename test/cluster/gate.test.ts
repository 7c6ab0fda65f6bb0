import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config.ts';
import { reservePort } from '../support/servers/reserve-ports.ts';
import { startHttpServer } from '../../src/main/process/start-http-server.ts';
import { type Tool, toolCacheDir } from '../../src/main/tools/tool.ts';
import { loadZoneChart } from '../../src/main/wiring/load-zone-chart.ts';
import { AccessGroupKind } from '../../src/rules/access/kinds.ts';
import { zoneNamespaceLabels } from '../../src/rules/environments/zone-namespace.ts';
import { buildProductChart, formatZoneValues } from '../../src/rules/environments/zone-chart.ts';
import { chartPath, toZoneSettings } from '../../src/rules/environments/zone-values.ts';
import type { ZoneSpec } from '../../src/rules/products/kinds.ts';
import { openSignInPage, sendPageRequest } from '../support/platform/send-page-request.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { type ApiHarness, startApi } from '../support/start-api.ts';
import { applyObjects, kubectl } from './control-plane/kubectl.ts';
import { helmReleaseArgs } from './create-chart-account.ts';
import { getMachineAddress } from './proxies/machine-address.ts';
import { startContour } from './proxies/start-contour.ts';
import { startTraefik } from './proxies/start-traefik.ts';
import type { ProxyOptions, ZoneProxy } from './proxies/zone-proxy.ts';
import { ensureContour, ensureEnvoy } from './tools/ensure-contour.ts';
import { ensureTraefik } from './tools/ensure-traefik.ts';

const cluster = inject('cluster');
const { env } = process;
const search = {
  cacheDir: toolCacheDir(env),
  env,
  onProgress: (message: string) => void process.stderr.write(`${message}\n`),
};

/** Returns the paths of tools, or warns and returns undefined when one is missing. */
function findPaths(tools: Record<string, Tool>): Record<string, string> | undefined {
  const missing = Object.entries(tools).flatMap(([name, tool]) => ('path' in tool ? [] : [`${name}: ${tool.missing}`]));
  const paths = Object.entries(tools).map(([name, tool]) => [name, 'path' in tool ? tool.path : '']);
  if (missing.length === 0) return Object.fromEntries(paths) as Record<string, string>;
  if (env['CI']) throw new Error(missing.join('; '));
  process.stderr.write(`\nSKIPPING TESTS THAT NEED A PROXY. ${missing.join('; ')}\n\n`);
  return undefined;
}

const traefik = findPaths({ traefik: await ensureTraefik(search) });
const envoy = findPaths({ contour: await ensureContour(search), envoy: await ensureEnvoy(search) });
type Start = (options: ProxyOptions) => Promise<ZoneProxy>;
const proxies: [name: string, start: Start | undefined][] = [
  [
    'the Ingress controller Traefik',
    traefik && ((options) => startTraefik(cluster, { program: traefik['traefik'] ?? '', ...options })),
  ],
  [
    'a Gateway of Contour and Envoy',
    envoy &&
      ((options) =>
        startContour(cluster, { contour: envoy['contour'] ?? '', envoy: envoy['envoy'] ?? '', ...options })),
  ],
];

const viewer = { email: 'jo@example.com', password: 'a long enough password' };
const gateProgram = fileURLToPath(new URL('../../src/main/gate/main.ts', import.meta.url));
const address = getMachineAddress();
const image = { repository: 'registry.example.com/acme/shop', digest: `sha256:${'0'.repeat(64)}` };
const release = { name: 'shop-v1.0.0', version: 'v1.0.0', commit: 'c'.repeat(40) };
const webSocket = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
};

/** Installs the policies of the chart for the objects of zones, for an installation with this Gateway. */
async function applyAdmissionPolicies(gateway: string): Promise<void> {
  const values = ['--show-only=templates/admission.yaml', `--set=config.INGRESS_GATEWAY=${gateway}`];
  const { stdout } = await promisify(execFile)(inject('helm'), ['template', ...helmReleaseArgs, ...values]);
  await kubectl(cluster, ['apply', '--server-side', '--force-conflicts', '--filename=-'], stdout);
}

type Rendered = { kind: string; metadata: { name: string }; spec: Record<string, unknown> };
type Containers = { template: { spec: { containers: { env: { name: string; value: string }[] }[] } } };

describe.each(proxies)('%s', (name, start) => {
  const suffix = crypto.randomUUID().slice(0, 8);
  const [closed, open] = [`closed-${suffix}`, `open-${suffix}`];
  const stops: (() => unknown)[] = [];
  let folder: string;
  let proxy: ZoneProxy;
  let api: ApiHarness;
  let publicUrl: string;
  let appPort: number;

  const toUrl = (zone: string): string => `http://${zone}.zones.test:${proxy.port}`;

  /** Renders a zone with the chart that the service writes for this proxy. */
  async function render(zone: string, access: 'signed-in' | 'public'): Promise<Rendered[]> {
    const config = loadConfig({
      PUBLIC_URL: publicUrl,
      GATE_API_URL: publicUrl,
      GATE_IMAGE: 'gate',
      ZONE_ADDRESS: toUrl('{zone}'),
      ...proxy.settings,
    });
    for (const { path, content } of buildProductChart(await loadZoneChart(config), 'shop')) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    const spec: ZoneSpec = { name: zone, promotionPolicy: 'automatic', access };
    const settings = toZoneSettings(spec, { address: config.zoneAddress(zone), verifiedDomains: new Set() });
    const values = join(folder, `${zone}.yaml`);
    await writeFile(values, formatZoneValues({ image, release, ...settings }));
    const chart = join(folder, chartPath('shop'));
    const args = ['template', zone, chart, '--namespace', zone, '--values', values];
    const { stdout } = await promisify(execFile)(inject('helm'), args);
    return parseAllDocuments(stdout).flatMap((document) => (document.toJS() as Rendered | null) ?? []);
  }

  /** Applies the Services and routes of a zone. Programs of this machine take the place of its pods. */
  async function deploy(zone: string, access: 'signed-in' | 'public'): Promise<void> {
    const rendered = await render(zone, access);
    const routes = rendered.filter(({ kind }) => ['Service', 'Ingress', 'HTTPRoute'].includes(kind));
    // The policies take effect a moment after they were applied.
    await waitUntil(
      async () =>
        await applyObjects(cluster, routes).then(
          () => true,
          () => false,
        ),
      (applied) => applied,
    );
    const gate = rendered.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'shop-gate');
    const ports = { shop: appPort, ...(gate && { 'shop-gate': await startGate(gate) }) };
    const slices = Object.entries(ports).map(([service, port]) => toEndpointSlice({ zone, service, port }));
    await applyObjects(cluster, slices);
  }

  const toEndpointSlice = ({ zone, service, port }: { zone: string; service: string; port: number }): object => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${service}-local`, namespace: zone, labels: { 'kubernetes.io/service-name': service } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: 'http', port, protocol: 'TCP' }],
  });

  /** Starts the program of the gate with the environment of its Deployment, except for the name of the app's Service. */
  async function startGate({ spec }: Rendered): Promise<number> {
    const port = await reservePort();
    const { env: variables } = (spec as Containers).template.spec.containers[0] ?? { env: [] };
    const environment = Object.fromEntries(variables.map((one) => [one.name, one.value]));
    const own = { PORT: String(port), HOST: address, APP_URL: `http://${address}:${appPort}` };
    const gate: ChildProcess = spawn(process.execPath, [gateProgram], {
      env: { ...environment, ...own, SHUTDOWN_DELAY_SECONDS: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    stops.push(async () => {
      gate.kill('SIGKILL');
      await once(gate, 'exit');
    });
    if (gate.stdout) await once(gate.stdout, 'data');
    return port;
  }

  /** Starts an app that tells the headers that it receives, and echoes on WebSockets. */
  async function startApp(): Promise<number> {
    const app = createServer(({ headers }, response) => response.end(JSON.stringify({ app: true, headers })));
    app.on('upgrade', (_, socket: Socket) => {
      socket.on('error', () => {});
      const accept = 'sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=';
      const head = ['HTTP/1.1 101 Switching Protocols', 'upgrade: websocket', 'connection: Upgrade', accept];
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      socket.pipe(socket);
    });
    app.listen(0, address);
    await once(app, 'listening');
    stops.push(() => {
      app.close();
      app.closeAllConnections();
    });
    return (app.address() as AddressInfo).port;
  }

  async function startService(): Promise<void> {
    const port = await reservePort();
    publicUrl = `http://localhost:${port}`;
    api = await startApi({
      role: 'platform-admin',
      config: { publicUrl, zoneAddress: (zone) => toUrl(zone) },
      onCleanup: (stop) => void stops.push(stop),
    });
    const server = await startHttpServer(api.app, { port, host: '127.0.0.1' });
    stops.push(async () => await server.stop(0));
    const zones = [
      { name: closed, promotionPolicy: 'automatic', access: 'signed-in' },
      { name: open, promotionPolicy: 'automatic', access: 'public' },
    ];
    const body = { name: 'shop', spec: { repos: [], delivery: { zones } } };
    const created = await api.request('/v1/orgs/acme/products', { method: 'POST', body });
    expect(created.status, await created.text()).toBe(201);
    const user = await api.request('/v1/access/users', { method: 'POST', via: 'session', body: viewer });
    expect(user.status, await user.text()).toBe(201);
    await api.store.create(AccessGroupKind, {
      metadata: { namespace: 'org-acme', name: 'readers' },
      spec: { name: 'readers', role: 'viewer', members: [viewer.email] },
    });
  }

  beforeAll(async () => {
    if (!start) return;
    folder = await mkdtemp(join(tmpdir(), 'gate-'));
    const namespaces = [closed, open].map((zone) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: zone, labels: zoneNamespaceLabels({ org: 'acme', product: 'shop', zone, uid: 'u1' }) },
    }));
    const hosts = [closed, open].map((zone) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'zone-hosts', namespace: zone },
      data: { hosts: `${zone}.zones.test` },
    }));
    await applyObjects(cluster, [...namespaces, ...hosts]);
    proxy = await start({ folder, suffix });
    stops.push(proxy.stop);
    await applyAdmissionPolicies(proxy.settings['INGRESS_GATEWAY'] ?? '');
    await startService();
    appPort = await startApp();
    await deploy(closed, 'signed-in');
    await deploy(open, 'public');
  });
  afterAll(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
    await kubectl(cluster, ['delete', 'namespace', '--wait=false', '--ignore-not-found', closed, open]);
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const readStatus = async (zone: string): Promise<number> =>
    await sendPageRequest(toUrl(zone)).then(
      ({ status }) => status,
      () => 0,
    );

  /** Signs in as a browser does, and returns the cookie of the session in the zone. */
  async function signIn(): Promise<string> {
    const { page, browser } = await openSignInPage(`${toUrl(closed)}/page`);
    const form = { email: viewer.email, password: viewer.password };
    const { location: ticket = '' } = await sendPageRequest(page, { form });
    expect(ticket).toContain(`${toUrl(closed)}/.service/sign-in?ticket=`);
    const entered = await sendPageRequest(ticket, { cookie: browser });
    expect(entered).toMatchObject({ status: 303, location: '/page' });
    return entered.cookie ?? '';
  }

  it.skipIf(!start)('serves a zone only to people who signed in, and a public zone to everyone', async () => {
    await expect.poll(() => readStatus(open), { timeout: 60_000, interval: 100 }).toBe(200);
    await expect.poll(() => readStatus(closed), { timeout: 60_000, interval: 100 }).toBe(401);
    const forged = {
      'x-service-user': 'root',
      'x-forwarded-host': `${open}.zones.test`,
      'x-service-zone-host': `${open}.zones.test`,
      'x-original-url': `${toUrl(open)}/`,
    };
    for (const path of ['/', `/?zone=${open}`, `/%2e%2e/`, '//', '/.service', '/.service/../'])
      for (const headers of [{}, forged, { cookie: 'svc_zone_session=svc_forged' }]) {
        const { status, text } = await sendPageRequest(`${toUrl(closed)}${path}`, { headers });
        expect([401, 404].includes(status) && !text.includes('"app"'), `${path} ${status}`).toBe(true);
      }
    expect((await sendPageRequest(toUrl(`other-${suffix}`))).status).toBe(404);

    const session = await signIn();
    const page = await sendPageRequest(toUrl(closed), { cookie: `own=kept; ${session}`, headers: forged });
    const { app, headers } = JSON.parse(page.text) as { app: boolean; headers: Record<string, string> };
    expect([page.status, app, headers['cookie']]).toEqual([200, true, 'own=kept']);
    expect(headers['x-service-user']).toMatch(/^user-/);
    expect(page.text).not.toContain('svc_zone');
    // The session is one of this zone alone, and the API does not take it.
    expect((await fetch(`${publicUrl}/api/v1/me`, { headers: { cookie: session } })).status).toBe(401);
  });

  it.skipIf(!start)('connects WebSockets of people who signed in', async () => {
    const connect = (headers: Record<string, string>) => {
      const { hostname, port } = new URL(toUrl(closed));
      const opened = request({
        host: '127.0.0.1',
        port,
        headers: { host: `${hostname}:${port}`, ...webSocket, ...headers },
      });
      opened.end();
      return opened;
    };
    await expect.poll(() => readStatus(closed), { timeout: 60_000 }).toBe(401);
    const [rejected] = (await once(connect({}), 'response')) as [{ statusCode: number }];
    expect(rejected.statusCode).toBe(401);
    const [, socket] = (await once(connect({ cookie: await signIn() }), 'upgrade')) as [unknown, Socket];
    socket.write('hello');
    expect(String((await once(socket, 'data'))[0])).toBe('hello');
    socket.destroy();
  });

  it.skipIf(!start)('keeps the objects of a gitops repo from leading around the gates of other zones', async () => {
    const [ingress, gateway] = ['networking.k8s.io/v1', 'gateway.networking.k8s.io/v1'];
    const route = (await render(closed, 'signed-in')).find(({ kind }) => /Ingress|HTTPRoute/.test(kind));
    const [rule] = (route?.spec['rules'] ?? []) as object[];
    const own = ['delivery.example.com'];
    const parent = { name: 'public', namespace: `edge-${suffix}` };
    const attempts: [apiVersion: string, kind: string, spec: object, annotations?: Record<string, string>][] =
      route?.kind === 'Ingress'
        ? [
            [
              ingress,
              'Ingress',
              route.spec,
              { 'traefik.ingress.kubernetes.io/router.middlewares': 'other-x@kubernetescrd' },
            ],
            [ingress, 'Ingress', { ...route.spec, rules: [{ ...rule, host: own[0] }] }],
            [ingress, 'Ingress', { ...route.spec, rules: [{ ...rule, host: undefined }] }],
            [ingress, 'Ingress', { defaultBackend: { service: { name: 'shop', port: { name: 'http' } } } }],
            ['v1', 'Service', { type: 'ExternalName', externalName: 'service-api.service-system.svc.cluster.local' }],
            ['v1', 'Service', { type: 'NodePort', ports: [{ port: 80 }] }],
          ]
        : [
            [gateway, 'HTTPRoute', { parentRefs: [parent], hostnames: own }],
            [gateway, 'HTTPRoute', { parentRefs: [parent] }],
            [gateway, 'HTTPRoute', { ...route?.spec, parentRefs: [{ ...parent, name: 'internal' }] }],
            [gateway, 'HTTPRoute', { ...route?.spec, parentRefs: [{ name: 'public' }] }],
          ];
    for (const [apiVersion, kind, spec, annotations = {}] of attempts) {
      const object = { apiVersion, kind, metadata: { name: 'pushed', namespace: closed, annotations }, spec };
      const create = kubectl(cluster, ['create', '--dry-run=server', '--filename=-'], JSON.stringify(object));
      await expect(create, JSON.stringify(spec)).rejects.toThrow(/restrict-(zones|hosts).*denied/);
    }
  });

  it.skipIf(!start)('would serve the zone to everyone if the app were the backend', async () => {
    await deploy(closed, 'public');
    await expect.poll(() => readStatus(closed), { timeout: 60_000, interval: 100 }).toBe(200);
    expect((await sendPageRequest(toUrl(closed), { headers: { 'x-service-user': 'root' } })).text).toContain('root');
  });
});
