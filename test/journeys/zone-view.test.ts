import { afterAll, beforeAll, expect, it } from 'vitest';
import type { z } from '@hono/zod-openapi';
import type { ZoneDetailsView, ZoneLogsView } from '../../api/environments/schemas.ts';
import type { ApiClient } from '../../src/clients/api-client.ts';
import { createAcmeOrg, pushRepo, waitForZonePhase } from '../support/platform/acme.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';

type Details = z.infer<typeof ZoneDetailsView>;
type Logs = z.infer<typeof ZoneLogsView>;

let platform: TestPlatform;
let api: ApiClient;
beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.signInAsRoot();
  await createAcmeOrg(api);
}, 60_000);
afterAll(async () => await platform.remove());

it('shows the pods of a Release, and only the new pods after the platform was killed', async () => {
  const files = {
    'server.js': `import { createServer } from 'node:http';
createServer((_, response) => response.end()).listen(process.env.PORT, () => console.log('at your service'));\n`,
  };
  await pushRepo(platform, { fullName: 'acme/shown', files });
  const volumes = [{ name: 'data', size: '1Gi', path: '/data' }];
  const zones = [
    { name: 'shown-rc', promotionPolicy: 'automatic', replicas: 2, cpu: '100m', memory: '256Mi', volumes },
  ];
  await api.post('/v1/orgs/acme/products', { name: 'shown', spec: { repos: ['acme/shown'], delivery: { zones } } });
  const zonePath = '/v1/orgs/acme/products/shown/zones/shown-rc';
  expect(await api.get<Details>(zonePath)).toMatchObject({
    pods: [],
    notRunningReason: 'No Release has been promoted yet.',
  });
  const { name: release } = await api.post<{ name: string }>('/v1/orgs/acme/releases', { product: 'shown' });
  await waitForZonePhase(api, release, { zone: 'shown-rc', phase: 'Verified' });

  const waitForBothReady = async (): Promise<Details> =>
    await waitUntil(
      async () => await api.get<Details>(zonePath),
      ({ pods }) => pods.length === 2 && pods.every(({ ready }) => ready),
    );
  const before = await waitForBothReady();
  expect(before).toMatchObject({
    volumes: [{ name: 'data', size: '1Gi', phase: 'Bound', mountPath: '/data' }],
    resources: { replicas: 2, cpu: '100m', memory: '256Mi', memoryLimit: '256Mi' },
  });
  expect(before.notRunningReason).toBeUndefined();

  await platform.killTree();
  await platform.start();
  const names = before.pods.map(({ name }) => name);
  const after = await waitUntil(waitForBothReady, ({ pods }) => pods.every(({ name }) => !names.includes(name)));
  const logs = await api.get<Logs>(`${zonePath}/logs?tail=100`);
  expect(logs.pods.map(({ name, lines }) => [name, lines.at(-1)?.text])).toEqual(
    after.pods.map(({ name }) => [name, 'at your service']),
  );
});
