import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import type { ReleaseView } from '../../src/clients/demo/views.ts';
import { call, edit, finish, titled, turn, type Scenario } from '../../src/emulators/model/scenario.ts';
import { startModel } from '../../src/emulators/model/start-model.ts';
import type { RunStatus } from '../../src/rules/changes/kinds.ts';
import type { ProductSpec } from '../../src/rules/products/kinds.ts';
import type { Promotion } from '../../src/rules/promotions/kinds.ts';
import type { ReleaseStatus } from '../../src/rules/releases/kinds.ts';
import { keepBothSides } from '../support/changes/change-harness.ts';
import { createGitUser } from '../support/changes/git-user.ts';
import {
  approveRunStep,
  approveZone,
  createAcmeOrg,
  pushRepo,
  startChange,
  waitForReleasePhase,
  waitForRunPhase,
  waitForZonePhase,
} from '../support/platform/acme.ts';
import { rootUser, TestPlatform } from '../support/platform/test-platform.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { describeWithChromium } from '../support/servers/chromium.ts';
import { openChromium } from '../support/servers/open-chromium.ts';

const prod = 'lamp-prod';
const title = 'Say hello to the moon';
/** The greeting is an assignment of its own, so that the program works with those of both sides. */
const toGreeting = (text: string): string =>
  `export function greeting() {\n  let text;\n  text = '${text}';\n  return text;\n}\n`;
const greet = (from: string, to: string) =>
  turn(`Greet with ${to}.`, edit('greeting.js', `'${from}'`, `'${to}'`), call('list_files'));

/** The review sends the Change back twice. The Change also removes a page that the smoke check of production requests. */
const scenario: Scenario = {
  ...titled(title),
  roles: {
    implementer: [
      turn(
        'Remove a page.',
        edit('app.js', "    if (url.pathname === '/healthz') return send(response, 200, 'text/plain', 'ok');\n", ''),
      ),
      greet('Hello, world!', 'Hello, mon!'),
      finish('done', 'The page greets the mon.'),
      greet('Hello, mon!', 'hello, moon!'),
      finish('done', 'The page greets the moon.'),
      greet('hello, moon!', 'Hello, moon!'),
      finish('done', 'The greeting begins with a capital letter.'),
    ],
    'code-reviewer': [
      finish('changes-requested', 'greeting.js: it is spelled moon.'),
      finish('changes-requested', 'greeting.js: it begins with a capital letter.'),
      finish('approved', 'The page greets the moon.'),
    ],
    'test-reviewer': [finish('approved', 'The tests pass.')],
    'conflict-resolver': keepBothSides,
  },
};

let platform: TestPlatform;
let model: Awaited<ReturnType<typeof startModel>>;
let api: ApiClient;
let folder: string;

/** Sets the page of production that the smoke check requests. */
const toSpec = (page: string): ProductSpec => ({
  repos: ['acme/lamp'],
  delivery: {
    zones: [
      { name: 'lamp-rc', promotionPolicy: 'automatic' },
      {
        name: prod,
        promotionPolicy: 'after-approval',
        verify: { url: `${platform.zoneUrl(prod)}${page}`, timeoutSeconds: 5 },
      },
    ],
  },
});

describeWithChromium('the records of a Change with a hard life', () => {
  beforeAll(async () => {
    model = await startModel({ port: 0, scenarios: [scenario] });
    platform = await TestPlatform.start({ MODEL_BASE_URL: model.url, MODEL_NAME: 'scripted', MODEL_API_KEY: 'none' });
    folder = await mkdtemp(join(tmpdir(), 'records-'));
    api = await platform.signInAsRoot();
    await createAcmeOrg(api);
    await pushRepo(platform, {
      fullName: 'acme/lamp',
      files: { 'greeting.js': toGreeting('Hello, world!') },
    });
    await api.post('/v1/orgs/acme/products', { name: 'lamp', spec: toSpec('/healthz') });
  });
  afterAll(async () => {
    await platform?.remove();
    await model?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const deliver = async (release: string): Promise<void> => {
    await waitForZonePhase(api, release, { zone: prod, phase: 'WaitingForApproval' });
    await approveZone(api, release, prod);
  };
  const readRun = async (run: string): Promise<RunStatus> =>
    (await api.get<{ status: RunStatus }>(`/v1/orgs/acme/agentworkflowruns/${run}`)).status;

  it('keep every round, decision and promotion, with who and when, in the API and on the pages', async () => {
    const first = await api.post<ReleaseView>('/v1/orgs/acme/releases', { product: 'lamp', version: 'v1.0.0' });
    await deliver(first.name);
    await waitForReleasePhase(api, first.name, 'Succeeded');

    const run = await startChange(api, 'lamp', title);
    await waitForRunPhase(api, run, 'WaitingForPerson');
    const person = await createGitUser(
      folder,
      { url: platform.codehostUrl, userToken: await platform.codehostToken() },
      'acme/lamp',
    );
    await person.commit('main', { 'greeting.js': toGreeting('Hello, sun!') });
    await approveRunStep(api, run);
    await waitUntil(
      async () => await readRun(run),
      ({ steps, phase }) =>
        steps.some((step) => step.name === 'resolve-conflicts' && step.phase === 'Succeeded') &&
        phase === 'WaitingForPerson',
    );
    await approveRunStep(api, run);
    const { release = '' } = await waitUntil(
      async () => await api.get<{ release?: string }>(`/v1/orgs/acme/agentworkflowruns/${run}`),
      (view) => view.release !== undefined,
    );
    await deliver(release);
    await waitForReleasePhase(api, release, 'Failed');

    const product = await api.get<{ resourceVersion: string }>('/v1/orgs/acme/products/lamp');
    await api.put('/v1/orgs/acme/products/lamp', {
      spec: toSpec('/version'),
      resourceVersion: product.resourceVersion,
    });
    const { mergeCommit: commit } = await readRun(run);
    await api.post('/v1/orgs/acme/releases', { product: 'lamp', commit });
    await deliver(release);
    await waitForReleasePhase(api, release, 'Succeeded');
    await api.post(`/v1/orgs/acme/products/lamp/zones/${prod}/promote`, {
      release: first.name,
      note: 'It was darker.',
    });
    await waitUntil(
      listPromotions,
      (items) => items.length === 4 && items.every(({ status }) => status?.finishedAt !== undefined),
    );

    await assertApiKeeps(run, release);
    await assertPagesShow(run, release);
  });

  async function listPromotions(): Promise<Pick<Promotion, 'spec' | 'status'>[]> {
    return (await api.get<{ items: Pick<Promotion, 'spec' | 'status'>[] }>(`/v1/orgs/acme/promotions?zone=${prod}`))
      .items;
  }

  async function assertApiKeeps(run: string, release: string): Promise<void> {
    const { steps, decisions = [] } = await readRun(run);
    const listOutcomes = (step: string) =>
      steps.find(({ name }) => name === step)?.rounds?.map(({ outcome }) => outcome);
    expect(listOutcomes('implement')).toEqual(['done', 'done', 'done']);
    expect(listOutcomes('review-code')?.slice(0, 3)).toEqual(['changes-requested', 'changes-requested', 'approved']);
    expect(listOutcomes('approve-change')).toEqual(['approved', 'approved']);
    expect(listOutcomes('resolve-conflicts')).toEqual(['done']);
    expect(decisions.map(({ outcome, by }) => [outcome, by])).toEqual(Array(2).fill(['approved', rootUser.email]));
    expect(new Set(decisions.map(({ headSha }) => headSha)).size).toBe(2);

    const { status } = await api.get<{ status: ReleaseStatus }>(`/v1/orgs/acme/releases/${release}`);
    expect(status.attempts?.map(({ phase }) => phase)).toEqual(['Failed']);
    const promotions = await listPromotions();
    expect(promotions.map(({ spec, status }) => [spec.version, spec.trigger, status?.phase])).toEqual([
      ['v1.0.0', 'rollback', 'Verified'],
      ['v1.1.0', 'release', 'Verified'],
      ['v1.1.0', 'release', 'Failed'],
      ['v1.0.0', 'release', 'Verified'],
    ]);
    for (const { status } of promotions) {
      expect(status?.decision?.by).toBe(rootUser.email);
      const times = [...(status?.phases ?? []).map(({ at }) => at), status?.finishedAt ?? ''];
      expect(times.length).toBeGreaterThan(2);
      expect(times).toEqual(times.toSorted());
    }
    expect(promotions[2]?.status?.failure?.message).toContain('404');
  }

  async function assertPagesShow(run: string, release: string): Promise<void> {
    const page = await openChromium();
    await page.goto(`${platform.url}/acme/changes/${run}`);
    await signIn(page);
    const decisions = await readRows(page, 'decisions');
    expect(decisions).toHaveLength(2);
    for (const row of decisions) expect(row).toMatch(/^Approved[^]+approve-change\s+root@example\.com/);
    await page.waitForFunction("/3 rounds/.test(document.querySelector('#implement').innerText)");

    await page.goto(`${platform.url}/acme/releases/${release}`);
    const ofRelease = (await readRows(page, 'promotions')).filter((row) => row.includes(prod));
    expect(ofRelease.map((row) => /Verified|Failed/.exec(row)?.[0])).toEqual(['Verified', 'Failed']);

    await page.goto(`${platform.url}/acme/products/lamp/zones/${prod}`);
    const ofZone = await readRows(page, 'promotions');
    expect(ofZone.map((row) => row.slice(0, 6))).toEqual(['v1.0.0', 'v1.1.0', 'v1.1.0', 'v1.0.0']);
    expect(ofZone[0]).toMatch(/Rollback[^]+It was darker/);
  }
});

async function signIn(page: Page): Promise<void> {
  await page.waitForSelector('input[name=email]:focus');
  await page.keyboard.type(rootUser.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(rootUser.password);
  await page.keyboard.press('Enter');
}

async function readRows(page: Page, section: string): Promise<string[]> {
  const rows = `[aria-labelledby=${section}] tbody tr`;
  await page.waitForSelector(rows);
  return (await page.evaluate(`[...document.querySelectorAll('${rows}')].map((row) => row.innerText)`)) as string[];
}
