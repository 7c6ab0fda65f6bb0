import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  buildProductChart,
  configureChart,
  formatUpdatedValues,
  parseZoneValues,
  withZoneAddress,
} from '../../../src/rules/environments/zone-chart.ts';

const files = {
  'Chart.yaml': 'name: zone\nversion: 1.2.0\n',
  'values.yaml': "# comment\ningress: { className: '' }\n",
  'templates/deployment.yaml': 'kind: Deployment\n',
};
const chart = (from = files, product = 'shop') =>
  new Map(buildProductChart(from, product).map((file) => [file.path, file.content]));
const version = (from = files): string =>
  (parse(chart(from).get('products/shop/chart/Chart.yaml') ?? '') as { version: string }).version;

const settings = {
  publicUrl: 'https://s.test',
  zoneAddress: 'https://{zone}.apps.test',
  gate: { image: 'registry.test/gate:1', apiUrl: 'http://api' },
};

it('adds the settings of the cluster to the values', () => {
  const values = configureChart(files, { ...settings, certificateIssuer: 'ca' })['values.yaml'] ?? '';
  expect(values).toContain('# comment');
  expect(parse(values)).toEqual({
    ingress: { className: '' },
    gate: {
      image: 'registry.test/gate:1',
      apiUrl: 'http://api',
      publicUrl: 'https://s.test',
      zoneAddress: 'https://{zone}.apps.test',
    },
    certificates: { clusterIssuer: 'ca' },
  });
});

it('changes the URL of zones, and nothing of a chart that has it or that has no gate', () => {
  const configured = configureChart(files, settings);
  const moved = withZoneAddress(configured, 'https://{zone}.cloud.test');
  expect(parse(moved['values.yaml'] ?? '')).toMatchObject({
    gate: { zoneAddress: 'https://{zone}.cloud.test', apiUrl: 'http://api' },
  });
  expect(withZoneAddress(configured, settings.zoneAddress)).toBe(configured);
  expect(withZoneAddress(files, 'https://{zone}.cloud.test')).toBe(files);
});

it('names the Gateway of the installation', () => {
  const gateway = { namespace: 'gateways', name: 'public', sectionName: 'https' };
  const configured = configureChart(files, { ...settings, ingressClass: 'traefik', gateway });
  expect(parse(configured['values.yaml'] ?? '')).toMatchObject({ ingress: { className: 'traefik', gateway } });
});

it('lets pods pull images with Secrets of the cluster', () => {
  const configured = configureChart(files, { ...settings, imagePullSecrets: ['registry-pull'] });
  const { imagePullSecrets } = parse(configured['values.yaml'] ?? '') as Record<string, unknown>;
  expect(imagePullSecrets).toEqual([{ name: 'registry-pull' }]);
});

it('labels the PodMonitors of the installation', () => {
  const configured = configureChart(files, { ...settings, metricsLabels: { release: 'prometheus' } });
  expect(parse(configured['values.yaml'] ?? '')).toMatchObject({ metrics: { labels: { release: 'prometheus' } } });
});

it('puts every file into the chart folder of the Product, with its name', () => {
  const built = chart();
  expect([...built.keys()]).toEqual(Object.keys(files).map((file) => `products/shop/chart/${file}`));
  expect(built.get('products/shop/chart/templates/deployment.yaml')).toBe('kind: Deployment\n');
  expect(parse(built.get('products/shop/chart/Chart.yaml') ?? '')).toMatchObject({ name: 'shop' });
});

it('has a version that depends on the content, not on the order of the files', () => {
  expect(version()).toMatch(/^1\.2\.0\+[0-9a-f]{12}$/);
  const { 'Chart.yaml': about, ...rest } = files;
  expect(version({ ...rest, 'Chart.yaml': about })).toBe(version());
  expect(version({ ...files, 'values.yaml': 'other: true\n' })).not.toBe(version());
});

it('keeps the Release of a values file that gets other settings', () => {
  const settings = { replicas: 2, persistence: [], strategy: 'RollingUpdate' as const, resources: {} };
  const release = { name: 'shop-v1.0.0', version: 'v1.0.0', commit: 'c' };
  const current = { image: { repository: 'registry/shop', digest: 'sha256:1' }, release };
  const ingress = { hosts: [], access: 'none' as const };
  const text = formatUpdatedValues({ ...current, replicas: 1 }, { ...settings, ingress });
  expect(text).toContain('digest: "sha256:1"');
  expect(text).toContain('replicas: 2');
  expect(formatUpdatedValues(undefined, { ...settings, ingress })).not.toContain('image');
});

describe('the values file of a zone', () => {
  const path = 'products/shop/zones/shop-prod/values.yaml';

  it('may be empty, and may have comments of people', () => {
    expect(parseZoneValues(path, '')).toBeUndefined();
    expect(parseZoneValues(path, '# by hand\nreplicas: 2\n')).toEqual({ replicas: 2 });
    expect(parseZoneValues(path, `# ${'by hand'.repeat(9000)}\nreplicas: 2\nreplicas: 3\n`)).toEqual({ replicas: 3 });
  });

  it.each([
    ['a: b: c\n', /: Nested mappings .+ at line 1, column 4\. Fix the file and save/],
    ['- a\n', /: it is a list\. /],
    ['text\n', /: it is a string\. /],
    ['# by hand\n'.repeat(7000), /: it is larger than 64 KiB\. /],
  ])('is refused as %j, because a change of it would drop the Release', (text, reason) => {
    const error = catchError(() => parseZoneValues(path, text));
    expect(error).toMatchObject({ code: 'invalid', message: expect.stringMatching(reason) });
    expect(error.message).not.toContain('\n');
  });
});

function catchError(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('Nothing was refused.');
}
