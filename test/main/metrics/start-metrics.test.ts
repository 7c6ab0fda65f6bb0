import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Instance } from '../../../src/emulators/cluster/instance.ts';
import { toPodMonitorSpec } from '../../../src/emulators/cluster/pod-monitor.ts';
import { startPodNetwork } from '../../../src/emulators/cluster/start-pod-network.ts';
import { PodKind, SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { AlertmanagerConfigKind, PodMonitorKind, PrometheusRuleKind } from '../../../src/kinds/prometheus-operator.ts';
import { createMetricsCredentials } from '../../../src/main/metrics/create-credentials.ts';
import { startMetrics } from '../../../src/main/metrics/start-metrics.ts';
import { createMonitoring } from '../../../src/main/wiring/telemetry/create-monitoring.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { describeWithAlertmanager } from '../../support/servers/alertmanager.ts';
import { reservePorts } from '../../support/servers/reserve-ports.ts';

const org = 'org-acme';

type OnCleanup = (close: () => Promise<void> | void) => void;

async function listen(server: ReturnType<typeof createServer>, onCleanup: OnCleanup = onTestFinished): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onCleanup(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

/** Starts the app of a pod, which answers as given. */
async function startInstance(answer: (path: string) => string, onCleanup: OnCleanup): Promise<Instance> {
  const server = createServer(({ url = '' }, response) => response.end(answer(url)));
  const port = await listen(server, onCleanup);
  const openConnection = async () => {
    const connection = connect(port, '127.0.0.1');
    await once(connection, 'connect');
    return connection;
  };
  return { openConnection, activeRequests: 0 } as unknown as Instance;
}

/** Starts the servers with one pod in each of the zones, whose apps answer as given. */
async function startWithPods(
  apps: Record<string, (path: string) => string>,
  {
    environment = process.env,
    onCleanup = onTestFinished,
  }: { environment?: NodeJS.ProcessEnv; onCleanup?: OnCleanup } = {},
) {
  const store = openMemoryStore();
  const instances = new Map<string, Instance>();
  const services = {
    'kube-state-metrics.kube-system.svc': async () => 'kube_deployment_spec_replicas{namespace="hello-rc"} 1\n',
    'kubelet.kube-system.svc': async () => '',
  };
  const cluster = {
    openPodNetwork: async (authorization: string) =>
      await startPodNetwork({ authorization, services, findInstance: ({ namespace }) => instances.get(namespace) }),
  };
  for (const [namespace, answer] of Object.entries(apps)) {
    instances.set(namespace, await startInstance(answer, onCleanup));
    const zone = { namespace, name: 'hello' };
    const labels = { 'app.kubernetes.io/name': 'hello', 'app.kubernetes.io/instance': namespace };
    const containers = [{ name: 'app', ports: [{ name: 'http', containerPort: 3000 }] }];
    await store.create(PodKind, { metadata: { ...zone, name: 'hello-1', labels }, spec: { containers } });
    const spec = toPodMonitorSpec(zone);
    const podMetricsEndpoints = spec.podMetricsEndpoints.map((one) => ({
      ...one,
      interval: '1s',
      scrapeTimeout: '1s',
    }));
    await store.create(PodMonitorKind, { metadata: zone, spec: { ...spec, podMetricsEndpoints } });
  }

  const scratch = await mkdtemp(join(tmpdir(), 'metrics-'));
  const folder = join(scratch, 'metrics');
  const port = await reservePorts(2);
  const ports = { prometheus: port, alertmanager: port + 1 };
  const credentials = await createMetricsCredentials(folder);
  const messages: string[] = [];
  const logged: string[] = [];
  const options = {
    folder,
    ports,
    credentials,
    retentionMs: 14 * 24 * 3_600_000,
    environment,
    store,
    cluster,
    log: pino({}, { write: (line: string) => void logged.push(line) }),
    onProgress: (line: string) => void messages.push(line),
    scrapeSeconds: 1,
  };
  let metrics = startMetrics(options);
  const restart = async (): Promise<void> => {
    await metrics.close();
    metrics = startMetrics(options);
  };
  onCleanup(async () => {
    await metrics.close();
    await store.close();
    await rm(scratch, { recursive: true, force: true });
  });
  const { basicAuthFile } = credentials;
  const toUrl = (name: keyof typeof ports) => `http://127.0.0.1:${ports[name]}`;
  const monitoring = createMonitoring(
    {
      prometheus: { url: toUrl('prometheus'), basicAuthFile, scrapeSeconds: 1 },
      alertmanager: { url: toUrl('alertmanager'), basicAuthFile },
    },
    () => metrics.violations,
  );
  const query = async (promql: string) => await monitoring.queryInstant(promql).catch(() => []);
  const { authorization } = credentials;
  return { store, metrics, restart, monitoring, query, toUrl, authorization, messages, logged };
}

const requests = (code: string, labels = ''): string => `http_requests_total{code="${code}"${labels}} 7\n`;

const forged = requests('200', ',namespace="other",pod="other",container="x",job="y"');
const ofAnotherOrg = '{org="other",product="shop",zone="shop-prod",slo="payments"}';
const forgedRules = `service:slo_errors:ratio_1h${ofAnotherOrg} 1\nservice:slo_errors:ratio_5m${ofAnotherOrg} 1\n`;

describeWithAlertmanager('the metrics of a platform', () => {
  const closings: (() => Promise<void> | void)[] = [];
  let platform: Awaited<ReturnType<typeof startWithPods>>;
  // Prometheus takes seconds to find its pods, which these tests share.
  beforeAll(async () => {
    const apps = {
      'hello-rc': (path: string) => (path === '/metrics' ? forged : ''),
      'forged-rc': (path: string) => (path === '/metrics' ? forgedRules + requests('200') : ''),
      'large-rc': () => requests('200').concat('# '.padEnd(3_000_000, 'x'), '\n'),
    };
    platform = await startWithPods(apps, { onCleanup: (close) => void closings.push(close) });
  });
  afterAll(async () => {
    for (const close of closings.toReversed()) await close();
  });

  it('keeps a silence over a restart', async () => {
    const { restart, toUrl, authorization } = await startWithPods({});
    const send = async (method: string, body?: object): Promise<Response> =>
      await fetch(`${toUrl('alertmanager')}/api/v2/silences`, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
    const silence = {
      matchers: [{ name: 'alertname', value: 'Slow', isRegex: false, isEqual: true }],
      startsAt: new Date().toISOString(),
      endsAt: new Date(Date.now() + 3_600_000).toISOString(),
      createdBy: 'ada',
      comment: 'A known cause.',
    };
    await expect.poll(async () => (await send('POST', silence).catch(() => undefined))?.status).toBe(200);
    await restart();
    await expect
      .poll(async () => await (await send('GET').catch(() => undefined))?.json())
      .toMatchObject([{ comment: 'A known cause.', status: { state: 'active' } }]);
  });

  it('reads the metrics of a pod, whose app cannot claim to be another one', async () => {
    const { query, toUrl } = platform;
    const readRequests = async () => (await query('http_requests_total{namespace="hello-rc"}'))[0];
    await expect.poll(async () => (await readRequests())?.value).toBe(7);
    const own = { namespace: 'hello-rc', pod: 'hello-1', container: 'app', job: 'hello-rc/hello', endpoint: 'http' };
    const claimed = { exported_namespace: 'other', exported_pod: 'other', exported_container: 'x', exported_job: 'y' };
    expect((await readRequests())?.labels).toMatchObject({ ...own, ...claimed });
    await expect
      .poll(async () => (await query('kube_deployment_spec_replicas'))[0]?.labels['namespace'])
      .toBe('hello-rc');
    for (const name of ['prometheus', 'alertmanager'] as const)
      for (const [path, method] of [
        ['/-/ready', 'GET'],
        ['/-/reload', 'POST'],
        ['/metrics', 'GET'],
      ] as const)
        expect((await fetch(`${toUrl(name)}${path}`, { method })).status, `${name} ${path}`).toBe(401);
  });

  it('stores no series of an app that looks like that of a rule of another org', async () => {
    const { query } = platform;
    await expect.poll(async () => (await query('http_requests_total{namespace="forged-rc"}'))[0]?.value).toBe(7);
    expect(await query('{__name__=~"service:.*"}')).toEqual([]);
  });

  it('drops a response that is larger than the limit', async () => {
    const { query } = platform;
    await expect.poll(async () => (await query('up{namespace="large-rc"}'))[0]?.value).toBe(0);
    expect(await query('http_requests_total{namespace="large-rc"}')).toEqual([]);
  });

  it('evaluates the rules of an org and sends its alerts to its webhook, with the token of its Secret', async () => {
    const received: { authorization: string | undefined; alerts: { status: string; labels: object }[] }[] = [];
    const receive = async (request: IncomingMessage): Promise<void> => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const { alerts } = JSON.parse(body) as { alerts: { status: string; labels: object }[] };
      received.push({ authorization: request.headers.authorization, alerts });
    };
    const webhook = await listen(createServer((request, response) => void receive(request).then(() => response.end())));
    const { store, monitoring, query, logged } = await startWithPods({ 'hello-rc': () => requests('500') });
    const credentials = { name: 'service-alert-webhook', key: 'token' };
    await store.create(SecretKind, {
      metadata: { namespace: org, name: credentials.name },
      data: toSecretData({ token: 'a-token' }),
    });
    const webhookConfigs = [
      { url: `http://127.0.0.1:${webhook}/`, sendResolved: true, httpConfig: { authorization: { credentials } } },
    ];
    await store.create(AlertmanagerConfigKind, {
      metadata: { namespace: org, name: 'service-incidents' },
      spec: {
        route: { receiver: 'service', groupWait: '0s', groupBy: ['...'] },
        receivers: [{ name: 'service', webhookConfigs }],
      },
    });
    const alert = (name: string, namespace: string) => ({
      alert: name,
      expr: 'http_requests_total{code="500"} > 0',
      labels: { namespace, zone: 'hello-rc', severity: 'critical' },
    });
    const rules = [alert('Burning', org), alert('Foreign', 'org-other')];
    await store.create(PrometheusRuleKind, {
      metadata: { namespace: org, name: 'service-slo-hello' },
      spec: { groups: [{ name: 'slo', interval: '1s', rules }] },
    });
    await store.create(PrometheusRuleKind, {
      metadata: { namespace: org, name: 'invalid' },
      spec: { groups: [{ name: 'broken', rules: [{ record: 'a:b', expr: 'rate(' }] }] },
    });
    await expect.poll(async () => (await query('ALERTS{alertstate="firing"}')).length).toBe(2);
    expect((await monitoring.listRules()).map(({ name }) => name)).toEqual(['slo']);
    await expect.poll(() => received).not.toEqual([]);
    expect(received[0]).toMatchObject({
      authorization: 'Bearer a-token',
      alerts: [{ status: 'firing', labels: { alertname: 'Burning', zone: 'hello-rc', severity: 'critical' } }],
    });
    // Alertmanager holds the alert of another org's namespace, but no route of this org matches it.
    const listHeld = async (namespace: string) =>
      (await monitoring.listAlerts(namespace)).map(({ labels, receivers }) => [labels['alertname'], receivers]);
    await expect.poll(async () => await listHeld(org)).toEqual([['Burning', ['org-acme/service-incidents/service']]]);
    await expect.poll(async () => await listHeld('org-other')).toEqual([['Foreign', ['null']]]);
    expect(received.flatMap(({ alerts }) => alerts.map(({ labels }) => labels))).not.toContainEqual(
      expect.objectContaining({ alertname: 'Foreign' }),
    );
    expect(logged.join('')).toContain('PrometheusRule org-acme/invalid is invalid');
  });
});

it('says why metrics are unavailable when the programs are missing, once, and closes at once', async () => {
  const environment = { PATH: '', XDG_CACHE_HOME: await createScratchFolder() };
  const { metrics, monitoring, messages } = await startWithPods({}, { environment });
  await expect.poll(() => messages).toHaveLength(2);
  expect(messages[0]).toContain('No metrics: Prometheus is not on PATH and apt-get and dpkg-deb are not available.');
  await expect(monitoring.queryInstant('up')).rejects.toMatchObject({
    reason: 'metrics-unavailable',
    message: expect.stringContaining('Install "prometheus" and start again.'),
  });
  await expect(monitoring.listAlerts('org-acme')).rejects.toThrow('Install "prometheus-alertmanager"');
  await metrics.close();
});
