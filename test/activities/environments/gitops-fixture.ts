import { MockActivityEnvironment } from '@temporalio/testing';
import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import { chartPath, zoneValuesPath } from '../../../src/rules/environments/zone-values.ts';
import { startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';

export const repo = 'acme/shop';
export const zone = { product: 'shop', zone: 'shop-prod', repo };
export const chartFile = `${chartPath('shop')}/Chart.yaml`;
export const buildChart = (version: string) => [
  { path: chartFile, content: `name: shop\nversion: "${version}"\n` },
  { path: `${chartPath('shop')}/values.yaml`, content: `# ${version}\n` },
];
export const settings = {
  replicas: 1,
  ingress: { hosts: ['shop.test'], access: 'public' as const },
  resources: {},
  persistence: [],
  strategy: 'RollingUpdate' as const,
};
export const promotion = {
  ...zone,
  org: 'acme',
  release: 'shop-v1',
  version: 'v1',
  commit: 'c1',
  digest: 'sha256:1',
  image: 'registry/shop',
  settings,
  chart: buildChart('1.0.0+a'),
};

export async function startGitops() {
  const { codehost, app } = await startShopFixture();
  const adapter = octokitCodehost({
    apiUrl: codehost.apiUrl,
    throttle: false,
    findCredentials: async () => ({ appId: String(app.id), privateKey: app.pem, account: 'acme', version: '1' }),
  });
  const host = await adapter.forOrg('acme');
  const inActivity = async <T>(work: () => Promise<T>): Promise<T> => await new MockActivityEnvironment().run(work);
  const read = async (path: string) => await host.readFile(repo, path, 'main');
  return { host, inActivity, read, valuesPath: zoneValuesPath('shop', 'shop-prod') };
}
