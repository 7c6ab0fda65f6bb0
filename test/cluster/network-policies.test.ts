import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ensureZoneNamespace } from '../../activities/environments/zone-namespace.ts';
import { isolateBuilds } from '../../activities/releases/isolate-builds.ts';
import { loadConfig } from '../../src/config.ts';
import { componentLabel } from '../../src/rules/environments/network-policies.ts';
import { applyObjects, kubectl } from './control-plane/kubectl.ts';
import { chartFolder, requiredValues } from './create-chart-account.ts';
import { type Connection, judgeConnections, type Peer } from './judge-connections.ts';
import { openClusterStore } from './open-cluster-store.ts';

const cluster = inject('cluster');
const suffix = crypto.randomUUID().slice(0, 8);
const toName = (name: string): string => `${name}-${suffix}`;
const [service, temporal, proxies] = [toName('service'), toName('temporal'), toName('proxies')];
const [open, guarded, foreign] = [toName('open'), toName('guarded'), toName('foreign')];
const org = toName('acme');
const namespaces = [service, temporal, open, guarded, foreign, `org-${org}`];
const publicIp = '93.184.215.14';
const metadataIp = '169.254.169.254';

type Manifest = { kind: string; metadata: { name: string }; spec: { template: { metadata: { labels: object } } } };
/** The labels of the pods of the service, by component. */
const pods: Record<string, Peer> = {};

beforeAll(async () => {
  const args = [
    'template',
    'service',
    chartFolder,
    `--namespace=${service}`,
    '--kube-version=1.35.4',
    ...requiredValues,
    `--set=temporal.address=temporal-frontend.${temporal}.svc:7233`,
  ];
  const { stdout } = await promisify(execFile)(inject('helm'), args);
  const manifests = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
  for (const { kind, metadata, spec } of manifests)
    if (kind === 'Deployment')
      pods[metadata.name] = { namespace: service, labels: spec.template.metadata.labels as Record<string, string> };
  for (const name of [service, temporal]) await kubectl(cluster, ['create', 'namespace', name]);
  await applyObjects(
    cluster,
    manifests.filter(({ kind }) => kind === 'NetworkPolicy'),
  );
  const store = await openClusterStore(cluster);
  const network = {
    ...loadConfig({}).network,
    serviceNamespace: service,
    gatewayNamespaces: [proxies],
    metricsNamespaces: ['monitoring'],
  };
  const toOwner = (zone: string) => ({ org, product: 'shop', zone, uid: 'u1' });
  await ensureZoneNamespace(store, toOwner(open), { network, access: 'public' });
  await ensureZoneNamespace(store, toOwner(guarded), { network, access: 'signed-in' });
  await ensureZoneNamespace(store, { ...toOwner(foreign), org: 'globex' }, { network, access: 'public' });
  await kubectl(cluster, ['create', 'namespace', `org-${org}`]);
  await isolateBuilds(store, org, network);
  await store.close();
});
afterAll(async () => {
  await kubectl(cluster, ['delete', 'namespace', '--wait=false', '--ignore-not-found', ...namespaces]);
});

const app = (zone: string): Peer => ({ namespace: zone, labels: { 'app.kubernetes.io/name': 'shop' } });
const gate = (zone: string): Peer => ({ namespace: zone, labels: { [componentLabel]: 'gate' } });
const build: Peer = { namespace: `org-${org}`, labels: { 'buildrun.shipwright.io/name': 'shop-1' } };
const otherBuild: Peer = { namespace: 'org-globex', labels: {} };
const proxy: Peer = { namespace: proxies, labels: {} };
const dns: Peer = { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } };
const nodeDnsCache: Peer = { ip: '169.254.20.10' };
const prometheus: Peer = { namespace: 'monitoring', labels: {} };
const temporalPod: Peer = { namespace: temporal, labels: {} };
const serviceAt = (component: string): Peer => {
  const found = pods[`service-${component}`];
  if (!found) throw new Error(`The chart has no Deployment "service-${component}".`);
  return found;
};
const connect = (from: Peer, to: Peer, port: number, more: Partial<Connection> = {}): Connection => ({
  from,
  to,
  port,
  ...more,
});

/** Connections that attackers want, each under what they gain. */
const refused = (): Record<string, Connection> => ({
  'an app to the app of another org': connect(app(foreign), app(open), 8080),
  'an app to an app of another zone of its org': connect(app(open), app(guarded), 8080),
  'an app to the gate of another zone': connect(app(open), gate(guarded), 8080),
  'an app to the API': connect(app(open), { ip: '10.43.0.9' }, 8080),
  'an app to the metrics of a worker': connect(app(open), serviceAt('main'), 9464, { portName: 'metrics' }),
  'an app to Temporal': connect(app(open), temporalPod, 7233),
  'an app to the metadata service': connect(app(open), { ip: metadataIp }, 80),
  'an app to another port of the DNS cache of its node': connect(app(open), nodeDnsCache, 80),
  'an app to the metadata service by IPv6': connect(app(open), { ip: 'fd00:ec2::254' }, 80),
  'an app to the API server of the cluster': connect(app(open), { ip: '10.43.0.1' }, 443),
  'an app to a builder': connect(app(open), build, 80),
  'a gate to the internet': connect(gate(guarded), { ip: publicIp }, 443),
  'a proxy around the gate': connect(proxy, app(guarded), 8080),
  'a stranger around the gate': connect({ namespace: 'default', labels: {} }, app(guarded), 8080),
  'a builder to a zone': connect(build, app(open), 8080),
  'a builder to the metadata service': connect(build, { ip: metadataIp }, 80),
  'a builder to a server inside': connect(build, { ip: '10.0.0.5' }, 443),
  'a builder to Temporal': connect(build, temporalPod, 7233),
  'a builder to the API server of the cluster': connect(build, { ip: '10.43.0.1' }, 443),
  'a builder to a mail server': connect(build, { ip: publicIp }, 25),
  'a builder to the builder of another org': connect(otherBuild, build, 80),
  'an agent to the metadata service': connect(serviceAt('agents'), { ip: metadataIp }, 80),
  'a browser to the metadata service': connect(serviceAt('browser'), { ip: metadataIp }, 80),
  'a stranger to a worker': connect({ namespace: 'default', labels: {} }, serviceAt('main'), 9464, {
    portName: 'metrics',
  }),
  'a stranger to Temporal': connect({ namespace: 'default', labels: {} }, temporalPod, 7233),
});

/** Connections without which the service does not work. */
const allowed = (): Record<string, Connection> => ({
  'an app to DNS': connect(app(open), dns, 53, { protocol: 'UDP' }),
  'an app to the DNS cache of its node': connect(app(open), nodeDnsCache, 53, { protocol: 'UDP' }),
  'a gate to the DNS cache of its node': connect(gate(guarded), nodeDnsCache, 53),
  'an app to its own zone': connect(app(open), app(open), 5432),
  'an app to the internet': connect(app(open), { ip: publicIp }, 443),
  'a proxy to a public app': connect(proxy, app(open), 8080),
  'a proxy to a gate': connect(proxy, gate(guarded), 8080),
  'a gate to its app': connect(gate(guarded), app(guarded), 8080),
  'a gate to the API': connect(gate(guarded), serviceAt('api'), 8080, { portName: 'http' }),
  'Prometheus to an app': connect(prometheus, app(guarded), 9090),
  'Prometheus to a worker': connect(prometheus, serviceAt('main'), 9464, { portName: 'metrics' }),
  'the service to an app': connect(serviceAt('main'), app(guarded), 8080),
  'the certificate authority to the answer to its challenge': connect(
    proxy,
    { namespace: guarded, labels: { 'acme.cert-manager.io/http01-solver': 'true' } },
    8089,
  ),
  'a builder to a package registry': connect(build, { ip: publicIp }, 443),
  'a builder to DNS': connect(build, dns, 53, { protocol: 'UDP' }),
  'a builder to the DNS cache of its node': connect(build, nodeDnsCache, 53, { protocol: 'UDP' }),
  'a worker to Temporal': connect(serviceAt('main'), temporalPod, 7233),
  'an agent to a model provider': connect(serviceAt('agents'), { ip: publicIp }, 443),
  'Temporal to itself': connect(temporalPod, temporalPod, 7234),
});

it('lets nothing through that leads out of a zone or a build, and what the service needs', async () => {
  const connections = { ...refused(), ...allowed() };
  const answers = await judgeConnections(cluster, namespaces, Object.values(connections));
  const passed = Object.keys(connections).filter((_, index) => answers[index]);
  expect(passed).toEqual(Object.keys(allowed()));
});

it('refuses them by its policies alone', async () => {
  const attempts = Object.values(refused());
  expect(await judgeConnections(cluster, [], attempts)).toEqual(attempts.map(() => true));
});
