import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { runLabel } from '../../../src/rules/changes/run-names.ts';
import { startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { connectCodehost, openPullRequest, patchRun, patchStep } from './change-fixture.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { limitRequests, refuseRequests } from './refuse-requests.ts';
import { writeTranscript } from './transcript-fixture.ts';
import { headSha, seedShop } from './seed-shop.ts';

const waiting = 'change-shop-418';
const text = `document.querySelector('main').innerText`;
const curl = `document.querySelector('[data-curl]').innerText`;
const focused = `document.activeElement.innerText`;
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
const script = '<script>alert(1)</script><img src=x onerror=alert(2)>';

async function openShop() {
  // The comparison of a promotion needs a code host.
  const ui = await openUi({ expected: [/\/compare\?/] });
  await seedShop(ui.store);
  await ui.page.setViewport({ width: 1280, height: 800 });
  return ui;
}

describeWithChromium('a Change in a browser', () => {
  it('is approved by keyboard once, with five Tabs from the first link, and only for the commit that is shown', async () => {
    const { page, faults, open, store, updates } = await openShop();
    await open(`/acme/changes/${waiting}`);
    await signIn(page);
    await page.waitForSelector('#decision');

    // The head moves while the page is open, so that the shown commit cannot be approved any more.
    const moved = 'a1b2c3d4e5f60718293a4b5c6d7e8f9012345678';
    await patchRun(store, waiting, (status) => ({
      ...status,
      pullRequest: { number: 431, url: 'http://localhost:3000/acme/shop/pulls/431', headSha: moved },
    }));
    await page.waitForSelector('button ::-p-text(Review a1b2c3d)');
    await setTimeout(500);
    expect(await read(page, curl)).toContain(`{"headSha":"${headSha}"}`);
    await page.locator('button ::-p-text(Review a1b2c3d)').click();
    await page.waitForSelector('button:not([aria-disabled]) ::-p-text(Approve a1b2c3d)');
    await page.waitForFunction(`${curl}.includes('{"headSha":"${moved}"}')`);

    // A rejection wants a reason.
    await page.locator('button ::-p-text(Reject…)').click();
    await page.waitForSelector('[role=alertdialog]');
    expect(await read(page, `document.querySelector('[role=alertdialog] button:last-of-type').ariaDisabled`)).toBe(
      'true',
    );
    await page.keyboard.press('Escape');
    await page.waitForFunction(`!document.querySelector('[role=alertdialog]')`);

    await open(`/acme/changes/${waiting}`);
    await page.waitForSelector('#skip-links a');
    await page.keyboard.press('Tab');
    expect(await read(page, focused)).toBe('Skip to the decision');
    await page.keyboard.press('Enter');
    let tabs = 0;
    // The card itself begins with the same word.
    while (!(await read(page, `${focused}.startsWith('Approve') && document.activeElement.tagName === 'BUTTON'`))) {
      await page.keyboard.press('Tab');
      tabs += 1;
      expect(tabs).toBeLessThanOrEqual(5);
    }
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`${text}.includes('Your decision was sent.')`);
    expect(updates.map(({ args }) => args[0])).toMatchObject([{ step: 'approve-change', headSha: moved }]);

    // Another person was faster, and the page says who.
    const decision = { by: 'hanne@example.com', role: 'member', outcome: 'approved' as const, at: ago(0) };
    await patchStep(store, waiting, 'approve-change', { phase: 'Succeeded', decision });
    await page.waitForFunction(`${text}.includes('hanne approved approve-change')`);
    expect(await read(page, `document.querySelector('#decision')`)).toBeNull();
    expect(headSha).not.toBe(moved);
    expect(faults).toEqual([]);
  });

  it('names the day of a time when that day is over', async () => {
    const { page, faults, open, store } = await openShop();
    await page.evaluateOnNewDocument(`{
      const Today = Date;
      window.passedMs = 0;
      window.Date = class extends Today {
        constructor(...parts) {
          parts.length === 0 ? super(Today.now() + window.passedMs) : super(...parts);
        }
        static now() {
          return Today.now() + window.passedMs;
        }
      };
    }`);
    const startedAt = ago(0);
    await patchRun(store, waiting, (status) => ({ ...status, startedAt }));
    await open(`/acme/changes/${waiting}`);
    await signIn(page);
    const started = `document.querySelector('main time[datetime="${startedAt}"]')?.innerText`;
    await page.waitForFunction(`/^\\d\\d:\\d\\d$/.test(${started})`);
    await page.evaluate('window.passedMs = 86_400_000');
    await page.waitForFunction(`/^\\d+ [A-Z][a-z]+, \\d\\d:\\d\\d$/.test(${started})`, { timeout: 30_000 });
    expect(faults).toEqual([]);
  });

  it('shows the cause, the resource and the fix of a failure on the first screen, and steps and stages by arrow keys', async () => {
    const { page, faults, open } = await openShop();
    await open('/acme/changes/change-shop-420?view=table');
    await signIn(page);
    for (const part of [
      'The pull request still has conflicts after 3 of 3 rounds.',
      'pull request #431 of acme/shop',
      'Resolve the conflicts on the branch, then retry the step.',
    ]) {
      const found = await page.waitForSelector(`dd ::-p-text(${part})`);
      expect((await found?.boundingBox())?.y, part).toBeLessThan(780);
    }
    await page.waitForSelector('button:not([aria-disabled]) ::-p-text(Retry merge)');

    // The strip is one Tab stop.
    const stops = `document.querySelectorAll('nav[aria-label="How far this Change is"] [tabindex="0"]').length`;
    expect(await read(page, stops)).toBe(1);
    await page.focus('nav[aria-label="How far this Change is"] [tabindex="0"]');
    await page.keyboard.press('ArrowLeft');
    expect(await read(page, focused)).toContain('Your approval');
    await page.keyboard.press('Enter');
    await page.waitForFunction(`location.search.includes('step=approve-change')`);
    await page.waitForSelector('#approve-change[open]');

    await page.waitForSelector('table[aria-label="Timeline of steps"]');
    await page.locator('button ::-p-text(Table)').click();
    await page.waitForSelector('[role=table] [tabindex="0"]');
    await page.focus('[role=table] [tabindex="0"]');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#merge[open]');

    // Two presses within a frame are two steps and one change of the address.
    const names = (await read(page, `[...document.querySelectorAll('main details')].map(({ id }) => id)`)) as string[];
    const before = names[names.indexOf('merge') - 2];
    const press = `dispatchEvent(new KeyboardEvent('keydown', { key: 'p', bubbles: true }))`;
    await page.evaluate(`document.activeElement.${press}; document.activeElement.${press}`);
    expect(await read(page, 'document.activeElement.parentElement.id')).toBe(before);
    await page.waitForSelector(`#${before}[open]`);
    await page.goBack();
    await page.waitForSelector('#merge[open]');
    expect(faults).toEqual([]);
  });

  it('starts the step of an agent over after a question, and no step that has no agent', async () => {
    const { page, faults, open, updates } = await openShop();
    await open('/acme/changes/change-shop-419');
    await signIn(page);
    await page.locator('button ::-p-text(Start over…)').click();
    await page.waitForSelector('[role=alertdialog] ::-p-text(its commits are discarded)');
    expect(updates).toEqual([]);
    await page.locator('[role=alertdialog] button ::-p-text(Start over)').click();
    await expect
      .poll(() => updates.map(({ update, args }) => [update, args[0]]))
      .toMatchObject([['retryStep', { step: 'implement', startOver: true }]]);
    await open('/acme/changes/change-shop-420');
    await page.waitForSelector('button ::-p-text(Retry merge)');
    expect(await read(page, text)).not.toContain('Start over');
    expect(faults).toEqual([]);
  });

  it('follows the transcript of a running step, and never takes text of agents for markup', async () => {
    const { page, faults, open, store, blobs } = await openShop();
    const run = 'change-shop-421';
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    const call = { name: 'run_command', input: { command: script } };
    const turn = { at: ago(1), text: script, call, result: script };
    await writeTranscript({ store, blobs }, run, 'review-tests', [
      { ...turn, trigger: 'start', startedAt: ago(3), prompt: script },
      turn,
    ]);
    await patchRun(store, run, (status) => ({
      ...status,
      issue: { url: 'http://localhost:3000/1', ...status.issue, title: script },
    }));
    await patchStep(store, run, 'review-tests', { turns: 2 });
    await open(`/acme/changes/${run}`);
    await signIn(page);
    await page.waitForFunction(`document.querySelector('h1')?.innerText.startsWith('<script>')`);
    const log = `document.querySelector('[aria-label="Transcript of review-tests"]').innerText`;
    await page.waitForFunction(`document.querySelector('[aria-label="Transcript of review-tests"]')`);
    await page.waitForFunction(`${log}.includes('turn 2')`);
    expect(await read(page, log)).toContain(script);
    await page.locator('[aria-label="Transcript of review-tests"] summary').click();
    await page.waitForFunction(`${log}.includes('Given to the agent')`);

    // The bar of a running step covers its part of the time until now.
    const [left, right, expected] = (await read(
      page,
      `(async () => {
        const { status } = await (await fetch('/api/v1/orgs/acme/agentworkflowruns/${run}')).json();
        const { startedAt } = status.steps.find(({ name }) => name === 'review-tests');
        const begin = Date.parse(status.startedAt);
        const track = document.querySelector('[role=cell]:has([data-state=working])').getBoundingClientRect();
        const bar = document.querySelector('[role=cell] > [data-state=working]').getBoundingClientRect();
        return [
          (bar.left - track.left) / track.width,
          (bar.right - track.left) / track.width,
          (Date.parse(startedAt) - begin) / (Date.now() - begin),
        ];
      })()`,
    )) as [number, number, number];
    expect(left).toBeCloseTo(expected, 1);
    expect(right).toBeCloseTo(1, 1);

    await writeTranscript({ store, blobs }, run, 'review-tests', [{ ...turn, text: 'The newest.' }], 3);
    await patchStep(store, run, 'review-tests', { turns: 3 });
    await page.waitForFunction(`${log}.includes('turn 3')`);
    const motions = `document.getAnimations().filter(({ playState }) => playState === 'running').length`;
    expect(await read(page, motions)).toBe(0);
    expect(faults).toEqual([]);
  });

  it('reads the transcript of a step on in both directions', async () => {
    const { page, faults, open, store, blobs } = await openShop();
    const run = 'change-shop-421';
    const turns = (count: number) => Array.from({ length: count }, () => ({ at: ago(1) }));
    await writeTranscript({ store, blobs }, run, 'review-tests', turns(70));
    await patchStep(store, run, 'review-tests', { turns: 70 });
    await open(`/acme/changes/${run}`);
    await signIn(page);
    const numbers = `[...document.querySelector('[aria-label="Transcript of review-tests"]').innerText.matchAll(/turn (\\d+)/g)].map(([, turn]) => Number(turn))`;
    const waitForTurns = async (from: number, to: number): Promise<unknown> =>
      await page.waitForFunction(
        `document.querySelector('[aria-label="Transcript of review-tests"]') && String(${numbers}) === String(Array.from({ length: ${to - from + 1} }, (_, index) => ${from} + index))`,
      );
    await waitForTurns(41, 70);
    await page.locator('button ::-p-text(Show earlier turns)').click();
    await waitForTurns(11, 70);
    await page.locator('button ::-p-text(Show earlier turns)').click();
    await waitForTurns(1, 70);

    await writeTranscript({ store, blobs }, run, 'review-tests', turns(35), 71);
    await patchStep(store, run, 'review-tests', { turns: 105 });
    await waitForTurns(1, 105);
    expect(faults).toEqual([]);
  });

  it('says one turn and one attempt', async () => {
    const { page, faults, open, store } = await openShop();
    const [run, step] = ['change-shop-421', 'review-tests'];
    const retrying = { message: 'The model cannot be reached.', attempt: 1, nextAt: ago(-1) };
    await patchStep(store, run, step, { turns: 1, retrying });
    await open(`/acme/changes/${run}`);
    await signIn(page);
    await page.waitForFunction("/Whole transcript, 1 turn$/m.test(document.querySelector('main').innerText)");
    expect(await read(page, "document.querySelector('main').innerText")).toContain('Tries again after 1 attempt: The');
    expect(faults).toEqual([]);
  });

  it('reads a transcript that could not be read on again with the next turn', async () => {
    const { page, open, store, blobs } = await openShop();
    const [run, step] = ['change-shop-421', 'review-tests'];
    const { refused, stop } = await refuseRequests(page, (request) => /transcript\?.*continue=/.test(request.url()));
    await writeTranscript(
      { store, blobs },
      run,
      step,
      Array.from({ length: 40 }, () => ({ at: ago(1) })),
    );
    await patchStep(store, run, step, { turns: 30 });
    await open(`/acme/changes/${run}`);
    await signIn(page);
    await page.waitForSelector('main [role=alert] ::-p-text(The file was replaced.)');
    await setTimeout(2_000);
    expect(refused.length).toBeLessThanOrEqual(3);
    stop();
    await patchStep(store, run, step, { turns: 40 });
    await page.waitForSelector('[role=region] ::-p-text(turn 40)');
  });

  it('shows the last turn of a step that ends while its transcript is open', async () => {
    const { page, faults, open, store, blobs } = await openShop();
    const [run, step] = ['change-shop-421', 'review-tests'];
    await writeTranscript({ store, blobs }, run, step, [{ at: ago(2) }, { at: ago(1) }]);
    await patchStep(store, run, step, { turns: 2 });
    await open(`/acme/changes/${run}?step=${step}&tab=transcript`);
    await signIn(page);
    await page.waitForSelector('aside ::-p-text(Live)');
    await page.waitForSelector('[role=region] ::-p-text(turn 2)');
    await writeTranscript({ store, blobs }, run, step, [{ at: ago(0), text: 'It holds.', outcome: 'approved' }], 3);
    await patchStep(store, run, step, { phase: 'Succeeded', finishedAt: ago(0), turns: 3 });
    await page.waitForSelector('[role=region] ::-p-text(turn 3)');
    expect(faults).toEqual([]);
  });

  it('keeps the reason of a rejection that did not arrive', async () => {
    const { page, open } = await openShop();
    await open(`/acme/changes/${waiting}`);
    await signIn(page);
    await page.setRequestInterception(true);
    page.on('request', (request) => void (request.url().endsWith('/reject') ? request.abort() : request.continue()));
    const reason = 'The fare is held\nfor all passengers.';
    await page.locator('#decision button ::-p-text(Reject…)').click();
    await page.locator('#reason').fill(reason);
    await page.locator('[role=alertdialog] button ::-p-text(Reject)').click();
    await page.waitForSelector('#decision [role=alert] ::-p-text(The connection to the server failed)');
    await page.locator('#decision button ::-p-text(Reject…)').click();
    await page.waitForSelector('#reason');
    expect(await read(page, "document.querySelector('#reason').value")).toBe(reason);
  });

  it('shows where its Release runs, and decides its promotion', async () => {
    const { page, faults, open, store, updates } = await openShop();
    await patchStep(store, waiting, 'approve-change', { phase: 'Succeeded' });
    await patchRun(store, waiting, (status) => ({
      ...status,
      phase: 'Succeeded',
      mergeCommit: headSha,
      finishedAt: ago(60),
    }));
    const ref = { namespace: 'org-acme', name: 'shop-v1.2.0' };
    await store.create(ReleaseKind, {
      metadata: { ...ref, labels: { [runLabel]: waiting } },
      spec: {
        product: 'shop',
        repo: 'acme/shop',
        commit: headSha,
        version: 'v1.2.0',
        startedBy: 'trigger',
        run: waiting,
      },
    });
    await store.updateStatus(ReleaseKind, ref, () => ({
      phase: 'Promoting' as const,
      startedAt: ago(60),
      taggedAt: ago(55),
      zones: [
        { name: 'shop-rc', phase: 'Verified' as const, healthyAt: ago(50), verifiedAt: ago(49) },
        {
          name: 'shop-prod',
          phase: 'WaitingForApproval' as const,
          waitingFor: { role: 'member', since: ago(48), message: 'approve v1.2.0 for shop-prod' },
        },
      ],
    }));
    await open(`/acme/changes/${waiting}`);
    await signIn(page);
    await page.waitForFunction(`${text}.includes('Where it runs')`);
    await page.waitForSelector('h2 ::-p-text(Promote v1.2.0 to shop-prod?)');
    await page.locator('#decision button ::-p-text(Approve)').click();
    await expect.poll(() => updates.length).toBe(1);
    expect(faults).toEqual([]);
  });

  it('keeps the turns and the lines that are shown when more cannot be read', async () => {
    const shop = await startShopFixture();
    const { page, faults, open, store, blobs } = await openUi({
      codehostApiUrl: shop.codehost.apiUrl,
      expected: [/429/],
    });
    await page.setViewport({ width: 1440, height: 900 });
    await seedShop(store);
    const [run, step] = ['change-shop-421', 'review-tests'];
    const turns = Array.from({ length: 40 }, () => ({ at: ago(1) }));
    await writeTranscript({ store, blobs }, run, step, turns);
    await patchStep(store, run, step, { turns: 30 });
    await connectCodehost(store, shop);
    const lines = Array.from({ length: 1_000 }, (_, line) => `const value${line} = ${line};\n`).join('');
    await openPullRequest(store, shop, waiting, { 'src/values.ts': lines });
    await limitRequests(page, (request) => request.url().includes('continue='));
    await open(`/acme/changes/${run}`);
    await signIn(page);
    await page.waitForSelector('main [role=alert] ::-p-text(Come back later.)');
    expect(await read(page, text)).toContain('turn 30');
    await open(`/acme/changes/${waiting}/diff`);
    await page.locator('[data-file] button ::-p-text(Show more lines)').click();
    await page.waitForSelector('main [role=alert] ::-p-text(Come back later.)');
    expect(await read(page, text)).toContain('const value0 = 0;');
    await page.waitForSelector('[data-file] button ::-p-text(Show more lines)');
    expect(faults).toEqual([]);
  });
});
