import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import type { ReleaseView } from '../../src/clients/demo/views.ts';
import type { ProductScaffold } from '../../src/rules/products/source.ts';
import { buildZip } from '../support/build-zip.ts';
import {
  createAcmeOrg,
  requestZone,
  toPublicZones,
  waitForReleasePhase,
  waitForZonePhase,
} from '../support/platform/acme.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';
import { waitUntil } from '../support/platform/wait-until.ts';

let platform: TestPlatform;
let api: ApiClient;

beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.signInAsRoot();
  await createAcmeOrg(api);
});
afterAll(async () => await platform?.remove());

/** Waits for the first Release, which no person starts. */
async function waitForFirstRelease(product: string): Promise<ReleaseView> {
  const { scaffold } = await waitUntil(
    async () =>
      (await api.get<{ status?: { scaffold?: ProductScaffold } }>(`/v1/orgs/acme/products/${product}`)).status ?? {},
    (status) => ['Succeeded', 'Failed'].includes(status.scaffold?.phase ?? ''),
  );
  expect(scaffold).toMatchObject({ phase: 'Succeeded', commit: expect.stringMatching(/^[0-9a-f]{40}$/) });
  const { items } = await waitUntil(
    async () => await api.get<{ items: ReleaseView[] }>(`/v1/orgs/acme/releases?product=${product}`),
    (page) => page.items.length > 0,
  );
  expect(items).toMatchObject([{ spec: { commit: scaffold?.commit, repo: `acme/${product}` } }]);
  return items[0]!;
}

it('brings a Product of a template to production with one request and one approval', async () => {
  const delivery = { zones: toPublicZones('fresh') };
  await api.post('/v1/orgs/acme/products', { name: 'fresh', spec: { source: { template: 'node-service' }, delivery } });
  const { name } = await waitForFirstRelease('fresh');
  await waitForZonePhase(api, name, { zone: 'fresh-prod', phase: 'WaitingForApproval' });
  await api.post(`/v1/orgs/acme/releases/${name}/zones/fresh-prod/approve`, {});
  await waitForReleasePhase(api, name, 'Succeeded');
  expect((await requestZone(platform.zoneUrl('fresh-prod'), '/')).body).toContain('<h1>fresh</h1>');
  expect((await requestZone(platform.zoneUrl('fresh-prod'), '/healthz')).body).toBe('ok');
});

it('brings a Product of an archive to production', async () => {
  const zip = buildZip([
    { name: 'site/index.html', content: '<h1>From an archive</h1>' },
    { name: 'site/deep/page.html', content: 'deep' },
  ]);
  const token = await platform.mintToken();
  const response = await fetch(`${platform.url}/api/v1/orgs/acme/archives`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/zip' },
    body: new Blob([Buffer.from(zip)]),
  });
  const { sha256 } = (await response.json()) as { sha256: string };
  const delivery = { zones: [{ name: 'site-prod', promotionPolicy: 'automatic' }] };
  await api.post('/v1/orgs/acme/products', { name: 'site', spec: { source: { archive: { sha256 } }, delivery } });
  await waitForReleasePhase(api, (await waitForFirstRelease('site')).name, 'Succeeded');
  expect((await requestZone(platform.zoneUrl('site-prod'), '/')).body).toContain('From an archive');
  expect((await requestZone(platform.zoneUrl('site-prod'), '/deep/page.html')).body).toBe('deep');
});
