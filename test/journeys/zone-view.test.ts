import { afterAll, beforeAll, expect, it } from 'vitest';
import type { z } from '@hono/zod-openapi';
import type { ZoneDetailsView, ZoneLogsView } from '../../api/environments/schemas.ts';
import type { Api } from '../../src/clients/http.ts';
import { createAcme, pushRepo, until, zoneIs } from '../support/acme.ts';
import { TestPlatform } from '../support/platform.ts';

type Details = z.infer<typeof ZoneDetailsView>;
type Logs = z.infer<typeof ZoneLogsView>;

let platform: TestPlatform;
let api: Api;
beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.asRoot();
  await createAcme(api);
}, 60_000);
afterAll(async () => await platform.remove());

it('shows what a Release runs as, and after a kill -9 what runs then, and nothing of before', async () => {
  const files = {
    'server.js': `import { createServer } from 'node:http';
createServer((_, response) => response.end()).listen(process.env.PORT, () => console.log('at your service'));\n`,
  };
  await pushRepo(platform, { fullName: 'acme/shown', files });
  const volumes = [{ name: 'data', size: '1Gi', path: '/data' }];
  const zones = [{ name: 'shown-rc', arrival: 'automatic', replicas: 2, cpu: '100m', memory: '256Mi', volumes }];
  await api.post('/v1/orgs/acme/products', { name: 'shown', spec: { repos: ['acme/shown'], delivery: { zones } } });
  const at = '/v1/orgs/acme/products/shown/zones/shown-rc';
  expect(await api.get<Details>(at)).toMatchObject({ pods: [], notRunning: 'No Release has come yet.' });
  const { name: release } = await api.post<{ name: string }>('/v1/orgs/acme/releases', { product: 'shown' });
  await zoneIs(api, release, { zone: 'shown-rc', phase: 'Verified' });

  const bothReady = async (): Promise<Details> =>
    await until(
      async () => await api.get<Details>(at),
      ({ pods }) => pods.length === 2 && pods.every(({ ready }) => ready),
    );
  const before = await bothReady();
  expect(before).toMatchObject({
    volumes: [{ name: 'data', size: '1Gi', phase: 'Bound', path: '/data' }],
    reservations: { replicas: 2, cpu: '100m', memory: '256Mi', memoryLimit: '256Mi' },
  });
  expect(before.notRunning).toBeUndefined();

  await platform.killTree();
  await platform.start();
  const names = before.pods.map(({ name }) => name);
  const after = await until(bothReady, ({ pods }) => pods.every(({ name }) => !names.includes(name)));
  const logs = await api.get<Logs>(`${at}/logs?tail=100`);
  expect(logs.pods.map(({ name, lines }) => [name, lines.at(-1)?.text])).toEqual(
    after.pods.map(({ name }) => [name, 'at your service']),
  );
});
