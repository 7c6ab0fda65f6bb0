import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config.ts';
import { loadZoneChart } from '../../src/main/wiring/load-zone-chart.ts';
import type { ZoneSpec } from '../../src/rules/products/kinds.ts';
import { buildProductChart, formatZoneValues } from '../../src/rules/environments/zone-chart.ts';
import { chartPath, toZoneSettings, type ZoneValues } from '../../src/rules/environments/zone-values.ts';
import { toPodMonitorSpec } from '../../src/emulators/cluster/pod-monitor.ts';
import { kubectl } from './control-plane/kubectl.ts';

const cluster = inject('cluster');
const helm = async (...args: string[]): Promise<string> => (await promisify(execFile)(inject('helm'), args)).stdout;
const longest = 'p'.repeat(40);
const image = { repository: `registry.example.com/acme/${longest}`, digest: `sha256:${'0'.repeat(64)}` };
const gateImage = 'registry.example.com/gate:1';
const release = { name: `${longest}-v100.200.300`, version: 'v100.200.300', commit: 'c'.repeat(40) };
const namespace = `chart-${crypto.randomUUID().slice(0, 8)}`;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zone-chart-'));
  await writeChart(longest, {});
  await kubectl(cluster, ['create', 'namespace', namespace]);
  await kubectl(cluster, ['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=restricted']);
});
afterAll(async () => {
  await kubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
  await rm(folder, { recursive: true, force: true });
});

/** Writes the chart of a Product for an installation with these settings. */
async function writeChart(product: string, environment: Record<string, string>): Promise<void> {
  const config = loadConfig({ GATE_IMAGE: gateImage, ...environment });
  for (const { path, content } of buildProductChart(await loadZoneChart(config), product)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

const addresses = Array.from({ length: 10 }, (_, index) => ({ domain: 'example.com', name: `shop-${index}` }));
const volumes = Array.from({ length: 8 }, (_, index) => ({
  name: `${index}`.padStart(40, 'v'),
  size: index === 0 ? '1Ki' : '9999999Gi',
  path: `/${`${index}`.padStart(199, 'd')}`,
}));
const extremes: [label: string, settings: Partial<ZoneSpec>][] = [
  ['default settings', {}],
  ['no replicas', { replicas: 0 }],
  ['20 replicas with minimal resources', { replicas: 20, cpu: '1m', memory: '1Ki' }],
  ['maximal resources', { cpu: '999.999', memory: '9999999Ti' }],
  ['required sign-in at 11 addresses', { access: 'signed-in', addresses }],
  ['public access at 11 addresses', { access: 'public', addresses }],
  ['the longest address', { addresses: [{ domain: 'example.com', name: `${'a.'.repeat(120)}b` }] }],
  ['no external access', { access: 'none', addresses }],
  ['8 volumes', { volumes, replicas: 2 }],
];

async function render(settings: Partial<ZoneSpec>, product = longest): Promise<{ rendered: string; values: string }> {
  const spec: ZoneSpec = { name: namespace, promotionPolicy: 'automatic', ...settings };
  const values = {
    image,
    release,
    ...toZoneSettings(spec, { address: `https://${namespace}.example.com`, verifiedDomains: new Set(['example.com']) }),
  };
  return await renderValues(values, product);
}

async function renderValues(values: object, product = longest): Promise<{ rendered: string; values: string }> {
  const file = join(folder, `${crypto.randomUUID()}.yaml`);
  await writeFile(file, formatZoneValues(values as ZoneValues));
  const chart = join(folder, chartPath(product));
  const rendered = await helm('template', namespace, chart, '--namespace', namespace, '--values', file);
  return { values: file, rendered };
}

type Rendered = {
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  spec: Record<string, unknown>;
};
const objectsIn = (rendered: string): Rendered[] =>
  parseAllDocuments(rendered).flatMap((document) => (document.toJS() as Rendered | null) ?? []);

const renderObjects = async (settings: Partial<ZoneSpec>) => objectsIn((await render(settings)).rendered);

type PodTemplate = { spec: { securityContext: object; containers: { volumeMounts: object[] }[] } };
type DeploymentSpec = { strategy: object; template: PodTemplate };
const anyZone = { name: namespace, promotionPolicy: 'automatic' as const };
const volume = { name: 'data', size: '1Gi', path: '/data' };
/** Values that YAML would read as something else, or that would begin a new field if they were not quoted. */
const oddValues = [
  'x\n  injected: true',
  '"\ninjected: true',
  '{injected: true}',
  '- injected',
  '~',
  'yes',
  '0777',
  '{{ .Values }}',
  ': #',
];

describe('the zone chart', () => {
  it.each(extremes)('passes helm lint and server-side validation with %s', async (_, settings) => {
    const { values, rendered } = await render(settings);
    await helm('lint', '--strict', join(folder, chartPath(longest)), '--values', values);
    const output = await kubectl(cluster, ['apply', '--dry-run=server', '--namespace', namespace, '-f', '-'], rendered);
    expect(output.trim().split('\n')).toHaveLength(objectsIn(rendered).length);
  });

  it('has a PodMonitor only where the cluster has the kind', async () => {
    await writeChart('monitored', { METRICS_LABELS: 'release=prometheus' });
    const { values } = await render({}, 'monitored');
    const template = async (...args: string[]) =>
      objectsIn(
        await helm(
          'template',
          namespace,
          join(folder, chartPath('monitored')),
          '--values',
          values,
          '-n',
          namespace,
          ...args,
        ),
      ).filter(({ kind }) => kind === 'PodMonitor');
    expect(await template()).toEqual([]);
    const [monitor] = await template('--api-versions', 'monitoring.coreos.com/v1/PodMonitor');
    expect(monitor?.metadata).toMatchObject({ name: 'monitored', labels: { release: 'prometheus' } });
    expect(monitor?.spec).toEqual(toPodMonitorSpec({ namespace, name: 'monitored' }));
    const applied = await kubectl(cluster, ['apply', '--dry-run=server', '-f', '-'], JSON.stringify(monitor));
    expect(applied).toContain('monitored created (server dry run)');
  });

  it('has no ingress without external access, and a gate when sign-in is required', async () => {
    const kinds = async (settings: Partial<ZoneSpec>) =>
      objectsIn((await render(settings)).rendered).map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(await kinds({ access: 'none', addresses })).toEqual([`Service/${longest}`, `Deployment/${longest}`]);
    expect(await kinds({ access: 'public' })).toEqual([
      `Service/${longest}`,
      `Deployment/${longest}`,
      `Ingress/${longest}`,
    ]);
    const gate = `${longest}-gate`;
    expect((await kinds({ access: 'signed-in', addresses })).toSorted()).toEqual(
      [
        `Service/${longest}`,
        `Service/${gate}`,
        `Deployment/${longest}`,
        `Deployment/${gate}`,
        `Ingress/${longest}`,
      ].toSorted(),
    );
  });

  it('has the gate as its only backend when sign-in is required, and no annotation that a controller must know', async () => {
    const [ingress] = (await renderObjects({ access: 'signed-in', addresses })).filter(
      ({ kind }) => kind === 'Ingress',
    );
    expect(ingress?.metadata).toMatchObject({ annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' } });
    expect(Object.keys(ingress?.metadata.annotations ?? {})).toEqual(['cert-manager.io/cluster-issuer']);
    expect(ingress?.spec).not.toHaveProperty('ingressClassName');
    const rules = (ingress?.spec['rules'] ?? []) as { http: { paths: unknown[] } }[];
    expect(rules).toHaveLength(11);
    const backend = (name: string) => ({ service: { name, port: { name: 'http' } } });
    for (const { http } of rules)
      expect(http.paths).toEqual([{ path: '/', pathType: 'Prefix', backend: backend(`${longest}-gate`) }]);
    const [open] = (await renderObjects({ access: 'public' })).filter(({ kind }) => kind === 'Ingress');
    expect(open?.spec).toMatchObject({ rules: [{ http: { paths: [{ backend: backend(longest) }] } }] });
  });

  it('tells the gate its zone, and selects its pods apart from those of the app', async () => {
    const found = await renderObjects({ access: 'signed-in', replicas: 3 });
    const [app, gate] = ['', '-gate'].map((suffix) => ({
      service: found.find(({ kind, metadata }) => kind === 'Service' && metadata.name === `${longest}${suffix}`),
      deployment: found.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === `${longest}${suffix}`),
    }));
    const readLabels = (deployment: Rendered | undefined) =>
      (deployment?.spec['template'] as { metadata: { labels: Record<string, string> } } | undefined)?.metadata.labels ??
      {};
    const selects = (service: Rendered | undefined, deployment: Rendered | undefined): boolean =>
      Object.entries(service?.spec['selector'] as object).every(
        ([key, value]) => readLabels(deployment)[key] === value,
      );
    expect(
      [app, gate].map((one) => [selects(one?.service, app?.deployment), selects(one?.service, gate?.deployment)]),
    ).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(readLabels(gate?.deployment)['app.kubernetes.io/component']).toBe('gate');
    const env = {
      ZONE: namespace,
      ZONE_ADDRESS: `https://${namespace}.example.com`,
      APP_URL: `http://${longest}`,
      API_URL: 'http://service-api.service-system.svc.cluster.local',
      PUBLIC_URL: 'http://localhost:8080',
    };
    const toEnv = (variables: Record<string, string>) =>
      Object.entries(variables).map(([name, value]) => ({ name, value }));
    expect(gate?.deployment?.spec).toMatchObject({
      replicas: 2,
      template: { spec: { automountServiceAccountToken: false, containers: [{ image: gateImage, env: toEnv(env) }] } },
    });
    const far = (await renderObjects({ access: 'signed-in', cluster: 'far' })).find(
      ({ metadata, kind }) => kind === 'Deployment' && metadata.name === `${longest}-gate`,
    );
    expect(far?.spec).toMatchObject({
      template: { spec: { containers: [{ env: toEnv({ ...env, API_URL: env.PUBLIC_URL }) }] } },
    });
  });

  it('refuses to serve a zone that requires sign-in without an image of the gate', async () => {
    await writeChart('ungated', { GATE_IMAGE: '' });
    await expect(render({ access: 'signed-in' }, 'ungated')).rejects.toThrow('GATE_IMAGE');
    expect((await render({ access: 'public' }, 'ungated')).rendered).toContain('kind: Ingress');
  });

  it('has a route instead of an Ingress when the installation has a Gateway', async () => {
    await writeChart('routed', { INGRESS_GATEWAY: 'edge/public/https' });
    const routes = async (settings: Partial<ZoneSpec>) =>
      objectsIn((await render(settings, 'routed')).rendered).filter(({ kind }) => /Ingress|HTTPRoute/.test(kind));
    expect(await routes({ access: 'none', addresses })).toEqual([]);
    const [signedIn, ...others] = await routes({ access: 'signed-in', addresses });
    expect(others).toEqual([]);
    expect(signedIn).toMatchObject({
      kind: 'HTTPRoute',
      spec: {
        parentRefs: [{ namespace: 'edge', name: 'public', sectionName: 'https' }],
        hostnames: [`${namespace}.example.com`, ...addresses.map(({ name, domain }) => `${name}.${domain}`)],
        rules: [{ backendRefs: [{ name: 'routed-gate', port: 80 }] }],
      },
    });
    expect(await routes({ access: 'public' })).toMatchObject([
      { spec: { rules: [{ backendRefs: [{ name: 'routed', port: 80 }] }] } },
    ]);
  });

  it('runs pods as an unprivileged user, recreates pods with volumes and rolls the others', async () => {
    const deployment = async (settings: Partial<ZoneSpec>) =>
      objectsIn((await render(settings)).rendered).find(({ kind }) => kind === 'Deployment')?.spec;
    expect(await deployment({ volumes })).toMatchObject({ strategy: { type: 'Recreate' } });
    expect(await deployment({ replicas: 2, memory: '64Mi' })).toMatchObject({
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } },
      template: {
        spec: {
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true },
          containers: [
            {
              image: `${image.repository}@${image.digest}`,
              resources: { requests: { memory: '64Mi' }, limits: { memory: '64Mi' } },
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
            },
          ],
        },
      },
    });
  });

  it('renders pods that the Pod Security Standard "restricted" allows', async () => {
    const templates = (await renderObjects({ volumes, access: 'signed-in' }))
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ spec }) => (spec as DeploymentSpec).template);
    expect(templates).toHaveLength(2);
    const createPod = async (spec: object) => {
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one', namespace }, spec };
      return await kubectl(cluster, ['create', '--dry-run=server', '-f', '-'], JSON.stringify(pod));
    };
    for (const { spec } of templates) {
      expect(await createPod(spec)).toContain('pod/one created');
      await expect(createPod({ ...spec, securityContext: {} })).rejects.toThrow(/violates PodSecurity/);
    }
  });

  it.each(oddValues)('keeps odd values in their place: %j', async (odd) => {
    const ordinary = {
      image,
      release,
      ...toZoneSettings(
        { ...anyZone, volumes: [volume] },
        { address: 'https://zone.example.com', verifiedDomains: new Set() },
      ),
    };
    const before = objectsIn((await renderValues(ordinary)).rendered);
    const { rendered } = await renderValues({
      ...ordinary,
      image: { repository: odd, digest: odd },
      release: { name: odd, version: odd, commit: odd },
      replicas: odd,
      port: odd,
      user: odd,
      progressDeadlineSeconds: odd,
      strategy: odd,
      storageClassName: odd,
      persistence: [{ name: odd, size: odd, mountPath: odd }],
      ingress: { className: odd, hosts: [odd], access: 'signed-in' },
      certificates: { clusterIssuer: odd },
      cluster: odd,
      gate: { image: odd, apiUrl: odd, publicUrl: odd, zoneAddress: odd, resources: {} },
    });
    const after = objectsIn(rendered);
    const kinds = (objects: Rendered[]): string[] =>
      objects
        .map(({ kind }) => kind)
        .filter((kind) => kind !== 'PodDisruptionBudget')
        .toSorted();
    expect(kinds(after)).toEqual([...kinds(before), 'Deployment', 'Service'].toSorted());
    const deployment = after.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === longest)
      ?.spec as DeploymentSpec;
    expect(deployment.strategy).toEqual({ type: odd });
    expect(deployment.template.spec.securityContext).toMatchObject({ runAsNonRoot: true });
    expect(deployment.template.spec.containers[0]?.volumeMounts).toContainEqual({
      name: `volume-${odd}`,
      mountPath: odd,
    });
    const claim = after.find(({ kind }) => kind === 'PersistentVolumeClaim');
    expect(claim?.spec).toMatchObject({ storageClassName: odd, resources: { requests: { storage: odd } } });
    expect(rendered).not.toMatch(/^\s*injected:/m);
  });

  it('limits disruption to one pod when a zone has several replicas', async () => {
    const budgets = async (replicas: number) =>
      objectsIn((await render({ replicas })).rendered).filter(({ kind }) => kind === 'PodDisruptionBudget').length;
    expect(await Promise.all([budgets(0), budgets(1), budgets(2)])).toEqual([0, 0, 1]);
  });
});
