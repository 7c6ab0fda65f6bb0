import { expect, it, onTestFinished } from 'vitest';
import { startModel } from '../../../src/emulators/model/start-model.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { walk, type Walk } from './first-day.ts';
import { button, createMouse, link } from './hands.ts';
import {
  checkMetrics,
  createIssue,
  createOrg,
  createProduct,
  createRootUser,
  startChange,
  connectCodehost,
  skipMetrics,
} from './setup-parts.ts';
import { passStage, planKills } from './kill-at-stage.ts';
import { choosePlatformDomain, chooseProvider, listStages } from './setup-stages.ts';
import { CodehostReader } from '../../support/platform/codehost-reader.ts';
import { rootUser } from '../../support/platform/test-platform.ts';

async function openModel() {
  const requests: string[] = [];
  const model = await startModel({ port: 0, log: (line) => requests.push(line) });
  onTestFinished(async () => await model.close());
  return { url: model.url, requests, environment: { ALLOWED_INSIDE_ADDRESSES: new URL(model.url).host } };
}

/** From the page of the new Product to its first Change. */
async function shipFirstChange(step: Walk): Promise<void> {
  await step.see('h2 ::-p-text(This Product is being created)');
  await step.read('main', /v0\.1\.0/);
  await createIssue(step);
  await startChange(step);
  await step.see('h1 ::-p-text(Add a changelog)');
}

describeWithChromium('the setup of an empty installation in a browser', () => {
  it('leads with everything to the first Change', async () => {
    const model = await openModel();
    const steps = async (step: Walk): Promise<void> => {
      const { hand, see } = step;
      await createRootUser(step);
      await see(button('Check these settings'));
      await choosePlatformDomain(step);
      await hand.press(button('Continue'));
      await checkMetrics(step);
      await see(button('Create the org'));
      await createOrg(step);
      await see(button('Connect the code host'));
      await connectCodehost(step);
      await chooseProvider(model)(step);
      await see(button('Remove…'));
      await hand.press(button('Continue'));
      await createProduct(step);
      await shipFirstChange(step);
      await expect.poll(() => model.requests.length).toBeGreaterThan(1);
    };
    await walk('setup-everything', createMouse, [steps], { environment: { ...model.environment, METRICS: 'on' } });
  });

  it('leads to the first Change when everything is skipped, and says what a Change needs', async () => {
    const steps = async (step: Walk): Promise<void> => {
      const { hand, see } = step;
      await createRootUser(step);
      await see(button('Check these settings'));
      await hand.press(button('Skip'));
      await skipMetrics(step);
      await createOrg(step);
      await see(button('Connect the code host'));
      await hand.press(button('Skip'));
      await hand.press(button('Continue'));
      await hand.press(link('Connect the code host'));
      await connectCodehost(step);
      await createProduct(step);
      await shipFirstChange(step);
    };
    await walk('setup-skipped', createMouse, [steps]);
  });

  it.each(planKills(listStages({ url: '' })))('goes on after a kill at $title', async ({ kills }) => {
    const model = await openModel();
    const steps = async (step: Walk): Promise<void> => {
      // A browser asks before it closes a tab with text that is not saved.
      step.page.on('dialog', (dialog) => void dialog.accept());
      for (const stage of listStages(model)) {
        if (stage.name === 'issue') await waitForRepo(step);
        const kill = kills.find((one) => one.stage === stage.name);
        await passStage(step, stage, { kill, restart: async () => await step.platform.start(model.environment) });
      }
      await expectNothingDoubled(step);
    };
    // The page says itself that its files cannot be loaded while the platform is away.
    const expected = [/A file of this page cannot be loaded/];
    await walk('setup-killed', createMouse, [steps], { environment: model.environment, expected });
  });
});

async function waitForRepo({ page, platform }: Walk): Promise<void> {
  const api = await platform.signIn(rootUser);
  type Product = { status?: { scaffold?: { phase: string } } };
  await expect
    .poll(async () => (await api.get<Product>('/v1/orgs/acme/products/fresh')).status?.scaffold?.phase)
    .toBe('Succeeded');
  await page.goto(`${platform.url}/acme/products/fresh`);
}

async function expectNothingDoubled({ platform }: Walk): Promise<void> {
  const api = await platform.signIn(rootUser);
  const list = async (path: string): Promise<string[]> =>
    (await api.get<{ items: { name: string }[] }>(path)).items.map(({ name }) => name);
  expect(await list('/v1/access/users')).toHaveLength(1);
  expect(await list('/v1/orgs')).toEqual(['acme']);
  expect(await list('/v1/orgs/acme/products')).toEqual(['fresh']);
  expect(await list('/v1/orgs/acme/agentworkflowruns')).toHaveLength(1);
  expect(await api.get('/v1/orgs/acme/codehost')).toMatchObject({ connected: true });
  const host = new CodehostReader(platform);
  const repos = await host.get<{ name: string }[]>('/orgs/acme/repos');
  // The gitops repo is created with the first promotion, which may still be on its way.
  const names = repos.map(({ name }) => name).filter((name) => name !== 'gitops');
  expect(names.toSorted()).toEqual(['fresh', 'hello']);
  expect(await host.get('/repos/acme/fresh/issues?state=all')).toHaveLength(1);
}
