import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { buildProductChart, configureChart } from '../../../src/rules/environments/zone-chart.ts';

const files = {
  'Chart.yaml': 'name: zone\nversion: 1.2.0\n',
  'values.yaml': '# comment\ningress: { className: nginx }\n',
  'templates/deployment.yaml': 'kind: Deployment\n',
};
const chart = (from = files, product = 'shop') =>
  new Map(buildProductChart(from, product).map((file) => [file.path, file.content]));
const version = (from = files): string =>
  (parse(chart(from).get('products/shop/chart/Chart.yaml') ?? '') as { version: string }).version;

it('adds the settings of the cluster to the values', () => {
  const values = configureChart(files, { publicUrl: 'https://s.test', certificateIssuer: 'ca' })['values.yaml'] ?? '';
  expect(values).toContain('# comment');
  expect(parse(values)).toEqual({
    ingress: { className: 'nginx' },
    signIn: { url: 'https://s.test' },
    certificates: { clusterIssuer: 'ca' },
  });
});

it('lets pods pull images with Secrets of the cluster', () => {
  const settings = { publicUrl: 'https://s.test', imagePullSecrets: ['registry-pull'] };
  const { imagePullSecrets } = parse(configureChart(files, settings)['values.yaml'] ?? '') as Record<string, unknown>;
  expect(imagePullSecrets).toEqual([{ name: 'registry-pull' }]);
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
