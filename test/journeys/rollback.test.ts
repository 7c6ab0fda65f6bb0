import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Api } from '../../src/clients/http.ts';
import type { ReleaseView } from '../../src/clients/demo/views.ts';
import type { ZoneStatus } from '../../src/rules/catalog/kinds.ts';
import type { ZoneValues } from '../../src/rules/environments/zone-values.ts';
import { CodehostFacts, ask, createAcme, pushRepo, releaseIs, until, zoneIs } from '../support/acme.ts';
import { TestPlatform } from '../support/platform.ts';

const run = promisify(execFile);
const prod = 'shop-prod';
let platform: TestPlatform;
let api: Api;

beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.asRoot();
  await createAcme(api);
  await pushRepo(platform, { fullName: 'acme/shop' });
  const zones = [{ name: prod, arrival: 'automatic' }];
  await api.post('/v1/orgs/acme/products', { name: 'shop', spec: { repos: ['acme/shop'], delivery: { zones } } });
});
afterAll(async () => await platform?.remove());

/** Another commit, so that there is something else to build. */
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
const statusOf = async (): Promise<ZoneStatus> =>
  (await api.get<{ status: ZoneStatus }>(`/v1/orgs/acme/products/shop/zones/${prod}`)).status;
const promote = async (release: string): Promise<unknown> =>
  await api.post(`/v1/orgs/acme/products/shop/zones/${prod}/promote`, { release, note: 'It broke.' });
const serves = async (): Promise<string> => (await ask(platform.address(prod), '/version')).body;

async function secondsUntil(version: string): Promise<number> {
  const startedAt = performance.now();
  for (const giveUpAt = Date.now() + 60_000; !(await serves()).includes(version) && Date.now() < giveUpAt;)
    await sleep(20);
  return Math.round((performance.now() - startedAt) / 10) / 100;
}

it('a rollback serves the older version by its digest within seconds, and holds newer ones until a person promotes the newest', async () => {
  const first = await startRelease('v1.0.0');
  await releaseIs(api, first.name, 'Succeeded');
  await commitNote('Another version');
  const second = await startRelease('v1.1.0');
  await releaseIs(api, second.name, 'Succeeded');
  expect(await serves()).toContain('v1.1.0');
  const { digest: newer } = await statusOf();

  const [took] = await Promise.all([secondsUntil('v1.0.0'), promote(first.name)]);
  process.stdout.write(`Serving the older version ${took} s after it was asked for\n`);
  expect(await serves()).toContain('v1.0.0');
  await zoneIs(api, first.name, { zone: prod, phase: 'Verified' });
  const back = await until(statusOf, ({ release, arriving }) => release === first.name && !arriving);
  expect(back).toMatchObject({
    version: 'v1.0.0',
    hold: { version: 'v1.0.0', newest: 'v1.1.0', by: 'root@example.com' },
  });
  expect(back.digest).not.toBe(newer);
  const { content } = await new CodehostFacts(platform).get<{ content: string }>(
    `/repos/acme/gitops/contents/products/shop/zones/${prod}/values.yaml`,
  );
  const values = parse(Buffer.from(content, 'base64').toString()) as ZoneValues;
  expect(values).toMatchObject({ image: { digest: back.digest }, release: { name: first.name } });

  await commitNote('A third version');
  const third = await startRelease('v1.2.0');
  const held = await until(statusOf, ({ arriving }) => arriving?.release === third.name);
  expect(held.arriving).toMatchObject({ phase: 'Pending' });
  expect(await serves()).toContain('v1.0.0');
  await promote(third.name);
  await releaseIs(api, third.name, 'Succeeded');
  expect(await serves()).toContain('v1.2.0');
  expect((await statusOf()).hold).toBeUndefined();
}, 300_000);
