import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ApiClient } from '../../src/clients/api-client.ts';
import type { ReleaseView } from '../../src/clients/demo/views.ts';
import type { Promotion } from '../../src/rules/promotions/kinds.ts';
import type { ZoneStatus } from '../../src/rules/products/kinds.ts';
import type { ZoneValues } from '../../src/rules/environments/zone-values.ts';
import {
  requestZone,
  createAcmeOrg,
  pushRepo,
  waitForReleasePhase,
  waitForZonePhase,
} from '../support/platform/acme.ts';
import { CodehostReader } from '../support/platform/codehost-reader.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';

const run = promisify(execFile);
const prod = 'shop-prod';
let platform: TestPlatform;
let api: ApiClient;

beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.signInAsRoot();
  await createAcmeOrg(api);
  await pushRepo(platform, { fullName: 'acme/shop' });
  const zones = [{ name: prod, promotionPolicy: 'automatic' }];
  await api.post('/v1/orgs/acme/products', { name: 'shop', spec: { repos: ['acme/shop'], delivery: { zones } } });
});
afterAll(async () => await platform?.remove());

/** Pushes a commit, so that the next Release has another image. */
async function commitNote(text: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'note-'));
  const git = async (...args: string[]): Promise<unknown> =>
    await run('git', ['-C', folder, '-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args]);
  try {
    const url = platform.codehostUrl.replace('://', `://owner:${await platform.codehostToken()}@`);
    await git('clone', '--quiet', `${url}/acme/shop.git`, '.');
    await writeFile(join(folder, 'NOTE.md'), text);
    await git('add', '--all');
    await git('commit', '--quiet', '-m', text);
    await git('push', '--quiet', 'origin', 'main');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const startRelease = async (version: string): Promise<ReleaseView> =>
  await api.post('/v1/orgs/acme/releases', { product: 'shop', version });
const readStatus = async (): Promise<ZoneStatus> =>
  (await api.get<{ status: ZoneStatus }>(`/v1/orgs/acme/products/shop/zones/${prod}`)).status;
const promote = async (release: string): Promise<unknown> =>
  await api.post(`/v1/orgs/acme/products/shop/zones/${prod}/promote`, { release, note: 'It broke.' });
const readVersion = async (): Promise<string> => (await requestZone(platform.zoneUrl(prod), '/version')).body;

async function measureSecondsUntil(version: string): Promise<number> {
  const startedAt = performance.now();
  for (const deadline = Date.now() + 60_000; !(await readVersion()).includes(version) && Date.now() < deadline;)
    await sleep(20);
  return Math.round((performance.now() - startedAt) / 10) / 100;
}

it('serves the older version within seconds of a rollback, and holds newer ones until a person promotes the newest', async () => {
  const first = await startRelease('v1.0.0');
  await waitForReleasePhase(api, first.name, 'Succeeded');
  await commitNote('Another version');
  const second = await startRelease('v1.1.0');
  await waitForReleasePhase(api, second.name, 'Succeeded');
  expect(await readVersion()).toContain('v1.1.0');
  const { digest: newer } = await readStatus();

  const [seconds] = await Promise.all([measureSecondsUntil('v1.0.0'), promote(first.name)]);
  process.stdout.write(`The older version was served ${seconds} s after the rollback request\n`);
  expect(await readVersion()).toContain('v1.0.0');
  await waitForZonePhase(api, first.name, { zone: prod, phase: 'Verified' });
  const rolledBack = await waitUntil(
    readStatus,
    ({ release, currentPromotion }) => release === first.name && !currentPromotion,
  );
  expect(rolledBack).toMatchObject({
    version: 'v1.0.0',
    hold: { version: 'v1.0.0', newestVersion: 'v1.1.0', by: 'root@example.com' },
  });
  expect(rolledBack.digest).not.toBe(newer);
  const { content } = await new CodehostReader(platform).get<{ content: string }>(
    `/repos/acme/gitops/contents/products/shop/zones/${prod}/values.yaml`,
  );
  const values = parse(Buffer.from(content, 'base64').toString()) as ZoneValues;
  expect(values).toMatchObject({ image: { digest: rolledBack.digest }, release: { name: first.name } });

  await commitNote('A third version');
  const third = await startRelease('v1.2.0');
  const held = await waitUntil(readStatus, ({ currentPromotion }) => currentPromotion?.release === third.name);
  expect(held.currentPromotion).toMatchObject({ phase: 'Pending' });
  expect(await readVersion()).toContain('v1.0.0');
  await promote(third.name);
  await waitForReleasePhase(api, third.name, 'Succeeded');
  expect(await readVersion()).toContain('v1.2.0');
  expect((await readStatus()).hold).toBeUndefined();

  // The first Release was promoted twice, and both attempts stay.
  const { items } = await api.get<{ items: Pick<Promotion, 'spec' | 'status'>[] }>(
    `/v1/orgs/acme/promotions?zone=${prod}`,
  );
  expect(items.map(({ spec, status }) => [spec.version, spec.trigger, status?.phase, status?.decision?.note])).toEqual([
    ['v1.2.0', 'release', 'Verified', 'It broke.'],
    ['v1.0.0', 'rollback', 'Verified', 'It broke.'],
    ['v1.1.0', 'release', 'Verified', undefined],
    ['v1.0.0', 'release', 'Verified', undefined],
  ]);
  const screenshots = items.map(({ status }) => status?.screenshot?.artifact);
  expect(new Set(screenshots).size).toBe(items.length);
}, 300_000);
