import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../src/clients/api-client.ts';
import { openSession, TestPlatform } from '../support/platform/test-platform.ts';
import { waitUntil } from '../support/platform/wait-until.ts';

let platform: TestPlatform;
let api: ApiClient;

beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.signInAsRoot();
});
afterAll(async () => await platform?.remove());

type Backups = { items: { startedBy: string; status: { phase: string } }[] };

it('backs up every minute, also after the platform was killed', async () => {
  const browser = createApiClient(`${platform.url}/api`, () => undefined);
  const session = await openSession(platform.url);
  await browser.put('/v1/backup/key', undefined, session);
  const schedule = { cron: '* * * * *', timeZone: 'Asia/Tokyo' };
  const saved = await browser.put<{ nextTimes: string[] }>('/v1/backup/settings', { keepLast: 1, schedule }, session);
  expect(Date.parse(saved.nextTimes[0] ?? '') - Date.now()).toBeLessThanOrEqual(60_000);
  await platform.killTree();
  await platform.start();
  const { items } = await waitUntil(
    async () => await api.get<Backups>('/v1/backup/backups'),
    (backups) => backups.items.some(({ status }) => status.phase !== 'Running'),
    90_000,
  );
  expect(items[0]).toMatchObject({ startedBy: 'schedule', status: { phase: 'Succeeded' } });
});
