import { expect, it } from 'vitest';
import type { Change, Release } from '../../../src/clients/ui/api/types.ts';
import { approveZone, startChange, waitForRunPhase, waitForZonePhase } from '../../support/platform/acme.ts';
import { CodehostReader } from '../../support/platform/codehost-reader.ts';
import { waitUntil } from '../../support/platform/wait-until.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openChromium } from '../../support/servers/open-chromium.ts';
import { read } from './open-ui.ts';
import { openAs, pressAtOnce, startShopPlatform } from './shop-platform.ts';

const card = "document.querySelector('#decision')?.innerText ?? ''";
const note = 'Seen with the customer';
const short = (sha: string): string => sha.slice(0, 7);
const enabled = (name: string): string => `button:not([aria-disabled=true]) ::-p-text(${name})`;
const disabled = (name: string): string => `button[aria-disabled=true] ::-p-text(${name})`;

describeWithChromium('an approval in a browser', () => {
  it('is for what the person read, and is given once, for a Change and for a promotion', async () => {
    const { platform, api, push } = await startShopPlatform();
    const getRun = async (): Promise<Change> => await api.get(`/v1/orgs/acme/agentworkflowruns/${run}`);
    const getRelease = async (name: string): Promise<Release> => await api.get(`/v1/orgs/acme/releases/${name}`);
    const waitForApproval = async (name: string): Promise<Release['spec']> => {
      await waitForZonePhase(api, name, { zone: 'shop-prod', phase: 'WaitingForApproval' });
      return (await getRelease(name)).spec;
    };
    const startRelease = async (version: string): Promise<Release> =>
      await api.post('/v1/orgs/acme/releases', { product: 'shop', version });
    const first = await startRelease('v1.0.0');
    const run = await startChange(api, 'shop', 'Write a note', 'quick-change');
    await waitForApproval(first.name);
    await approveZone(api, first.name, 'shop-prod');

    // The page shows the commit and its size. A commit that arrives while it is open is refused, and said.
    await waitForRunPhase(api, run, 'WaitingForPerson');
    const shown = (await getRun()).status?.pullRequest?.headSha ?? '';
    const [pull] = await new CodehostReader(platform).pulls('acme/shop');
    const browser = (await openChromium()).browser();
    const [root, ben] = [await openAs(browser, platform.url, 'root'), await openAs(browser, platform.url, 'ben')];
    for (const { go, page } of [root, ben]) {
      await go(`/acme/changes/${run}`);
      await page.waitForSelector(enabled(`Approve ${short(shown)}`));
      await page.waitForFunction(`${card}.includes('1 file')`);
      expect(await read(page, card)).toContain(`Commit ${short(shown)}`);
    }
    await root.page.locator('#note').fill(note);
    const pushed = await push(pull?.head.ref ?? '', 'unread.md');
    await pressAtOnce(root.page, 'Approve');
    await root.page.waitForFunction(
      `document.querySelector('#decision [role=alert]')?.innerText.includes('${pushed}')`,
    );
    expect(root.decisions).toEqual([409]);
    expect(await read(root.page, "document.querySelector('#note').value")).toBe(note);
    expect((await getRun()).status?.phase).toBe('WaitingForPerson');

    // Both pages ask to review the new head, and only then can it be approved: by one of two people at once.
    for (const { page } of [root, ben]) {
      await page.waitForSelector(disabled(`Approve ${short(shown)}`));
      await page.locator(`button ::-p-text(Review ${short(pushed)})`).click();
      await page.waitForSelector(enabled(`Approve ${short(pushed)}`));
      await page.waitForFunction(`${card}.includes('2 files')`);
      expect(await read(page, "document.querySelector('#decision [role=alert]')")).toBeNull();
    }
    root.decisions.length = 0;
    await Promise.all([pressAtOnce(root.page, 'Approve', 2), pressAtOnce(ben.page, 'Approve')]);
    const decided = await waitUntil(
      async () => (await getRun()).status?.steps.find(({ name }) => name === 'approve-change')?.decision,
      (decision) => decision !== undefined,
    );
    expect(decided).toMatchObject({ outcome: 'approved', headSha: pushed });
    const approver = decided?.by.split('@')[0];
    for (const { page } of [root, ben])
      await page.waitForSelector(`main ::-p-text(${approver} approved approve-change)`);
    await expect.poll(() => [...root.decisions, ...ben.decisions].toSorted()).toEqual([200, 409]);
    expect(decided?.note).toBe(approver === 'root' ? note : undefined);

    // The promotion of the merged commit says what changes in the zone.
    const { release = '' } = await waitUntil(getRun, (view) => view.release !== undefined);
    const { version, commit } = await waitForApproval(release);
    await root.go(`/acme/releases/${release}`);
    await ben.go(`/acme/products/shop?promote=shop-prod&release=${release}`);
    for (const { page } of [root, ben]) {
      await page.waitForSelector(enabled(`Approve ${short(commit)}`));
      await page.waitForSelector(`::-p-text(1 commit in 2 files)`);
      await page.waitForFunction(`document.body.innerText.includes('v1.0.0 becomes ${version}')`);
    }

    // A newer Release takes its place while one page is paused, and the other is live.
    await root.page.locator('#note-shop-prod').fill(note);
    await ben.page.locator('#promote-note').fill(note);
    await root.page.keyboard.press('Tab');
    await root.page.keyboard.press('.');
    await root.page.waitForSelector('aside ::-p-text(Paused since)');
    await push('main', 'newer.md');
    const newer = await startRelease('v2.0.0');
    const spec = await waitForApproval(newer.name);
    root.decisions.length = 0;
    ben.decisions.length = 0;
    await pressAtOnce(root.page, 'Approve');
    await root.page.waitForSelector('#decision [role=alert]');
    await ben.page.waitForSelector(`[role=dialog] ::-p-text(v2.0.0 waits for shop-prod instead of ${version})`);
    await ben.page.waitForSelector(disabled(`Approve ${short(commit)}`));
    await pressAtOnce(ben.page, 'Approve');
    expect(await read(root.page, "document.querySelector('#note-shop-prod').value")).toBe(note);
    expect([root.decisions, ben.decisions]).toEqual([[409], []]);

    await ben.page.locator('button ::-p-text(Review v2.0.0)').click();
    await root.page.locator('#decision a ::-p-text(Review v2.0.0)').click();
    for (const { page } of [root, ben]) {
      await page.waitForSelector(enabled(`Approve ${short(spec.commit)}`));
      await page.waitForSelector('::-p-text(2 commits in 3 files)');
    }
    expect(await read(ben.page, "document.querySelector('#promote-note').value")).toBe(note);
    root.decisions.length = 0;
    await Promise.all([pressAtOnce(root.page, 'Approve', 2), pressAtOnce(ben.page, 'Approve')]);
    await expect.poll(() => [...root.decisions, ...ben.decisions].toSorted()).toEqual([200, 409]);
    const zone = (await getRelease(newer.name)).status?.zones[0];
    expect(zone).toMatchObject({ decision: { outcome: 'approved', commit: spec.commit } });
    expect(`${zone?.decision?.by.split('@')[0]}`).toBe(root.decisions[0] === 200 ? 'root' : 'ben');
    await root.page.waitForSelector(`main ::-p-text(approved v2.0.0 for shop-prod)`);
  });
});
