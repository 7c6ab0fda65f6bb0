import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'puppeteer-core';
import { onTestFinished } from 'vitest';
import type { ApiClient } from '../../../src/clients/api-client.ts';
import { type Scenario, finish, turn, write } from '../../../src/emulators/model/scenario.ts';
import { startModel } from '../../../src/emulators/model/start-model.ts';
import { createAcmeOrg, pushRepo, startChange } from '../../support/platform/acme.ts';
import { rootUser, TestPlatform } from '../../support/platform/test-platform.ts';

const run = promisify(execFile);
const member = { email: 'ben@example.com', password: 'correct horse battery staple' };
export const people = { root: rootUser, ben: member };

const scenarios: Scenario[] = [
  {
    name: 'any',
    matches: () => true,
    roles: { implementer: [turn('I write it.', write('NOTES.md', 'A note.')), finish('done', 'The note is written.')] },
  },
];

/** Starts the platform with the org "acme", its Product "shop" with one zone, and the member "ben". */
export async function startShopPlatform() {
  const model = await startModel({ port: 0, scenarios });
  onTestFinished(async () => await model.close());
  const environment = { MODEL_BASE_URL: model.url, MODEL_NAME: 'scripted', MODEL_API_KEY: 'none' };
  const platform = await TestPlatform.start(environment);
  onTestFinished(async () => await platform.remove());
  const api = await platform.signInAsRoot();
  await createAcmeOrg(api);
  await pushRepo(platform, { fullName: 'acme/shop' });
  const verify = { timeoutSeconds: 2 };
  const zones = [{ name: 'shop-prod', promotionPolicy: 'after-approval', verify }];
  await api.post('/v1/orgs/acme/products', { name: 'shop', spec: { repos: ['acme/shop'], delivery: { zones } } });
  await platform.createUser(member);
  const groups = await api.get<{ accessGroups: object[]; resourceVersion: string }>('/v1/orgs/acme/access-groups');
  await api.put('/v1/orgs/acme/access-groups', {
    accessGroups: [...groups.accessGroups, { name: 'members', role: 'member', members: [member.email] }],
    resourceVersion: groups.resourceVersion,
  });
  return {
    platform,
    api,
    push: async (branch: string, file: string) => await pushCommit(platform, branch, file),
    restart: async () => await platform.start(environment),
  };
}

/** Pushes a commit as a person; returns its hash. */
async function pushCommit(platform: TestPlatform, branch: string, file: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'push-'));
  const git = async (...args: string[]): Promise<string> =>
    (await run('git', ['-C', folder, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args])).stdout;
  try {
    const url = platform.codehostUrl.replace('://', `://owner:${await platform.codehostToken()}@`);
    await git('clone', '--quiet', '--branch', branch, `${url}/acme/shop.git`, '.');
    await writeFile(join(folder, file), `${file}\n`);
    await git('add', '--all');
    await git('commit', '--quiet', '-m', `docs: add ${file}`);
    await git('push', '--quiet', 'origin', branch);
    return (await git('rev-parse', 'HEAD')).trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Opens a page as a person with a browser session of their own, and records the responses to their decisions. */
export async function openAs(browser: Browser, url: string, person: keyof typeof people) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const decisions: number[] = [];
  page.on('response', (response) => {
    if (/\/(approve|reject|promote)$/.test(response.url())) decisions.push(response.status());
  });
  await page.goto(`${url}/signin`);
  const { email, password } = people[person];
  await page.locator('input[name=email]').fill(email);
  await page.locator('input[name=password]').fill(password);
  await page.keyboard.press('Enter');
  await page.waitForSelector('nav[aria-label=Main]');
  const go = async (path: string): Promise<void> => {
    await page.goto(url + path);
    await page.waitForSelector('aside ::-p-text(Live)');
  };
  return { page, decisions, go };
}

/** Presses the button as often as asked before the page can react, as two clicks on a busy machine do. */
export const pressAtOnce = async (page: Page, name: string, times = 1): Promise<unknown> =>
  await page.evaluate(`for (let press = 0; press < ${times}; press += 1)
    [...document.querySelectorAll('button')].find(({ innerText }) => innerText.startsWith('${name}')).click()`);

/** Starts a run of which every step is an approval. */
export async function startApprovals(api: ApiClient, count: number): Promise<string> {
  const steps = Array.from({ length: count }, (_, index) => ({ name: `approve-${index + 1}`, type: 'human' }));
  const spec = { enabled: true, triggers: [], steps };
  await api.post('/v1/orgs/acme/agentworkflows', { name: 'approvals', spec });
  return await startChange(api, 'shop', 'Approve it', 'approvals');
}
