import { expect, it } from 'vitest';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { createTillRelease, openConnectedUi, seedTill } from './codehost-fixture.ts';
import { createStartingTemporal } from '../../api/temporal/start-fixture.ts';
import { findBarriers } from './find-barriers.ts';
import { read, signIn } from './open-ui.ts';
import { limitRequests } from './refuse-requests.ts';

describeWithChromium('Releases in a browser', () => {
  it('are filtered in the URL, started by hand, compared with each zone, and cancelled', async () => {
    const { page, faults, open, store, updates, push } = await openConnectedUi([/status of 422/]);
    await seedTill(store, { one: await push('one'), two: await push('two'), three: await push('three') });
    await open('/acme/releases?product=till');
    await signIn(page);

    expect(await read(page, "[...document.querySelectorAll('th[scope=col]')].map((one) => one.innerText)")).toEqual([
      'Version',
      'Phase',
      'till-rc',
      'till-prod',
      'Commit',
      'Started by',
      'Started',
    ]);
    await page.select('main select', 'Succeeded');
    await page.waitForFunction("document.querySelectorAll('tbody tr').length === 1");
    expect(await read(page, 'location.search')).toBe('?product=till&phase=Succeeded');
    expect(await read(page, "document.querySelector('tbody').innerText")).toContain('v1.0.0');
    await page.locator('a ::-p-text(Start a Release)').click();
    await page.locator('input[name=commit]').fill('abc');
    await page.locator('[role=dialog] button ::-p-text(Start the Release)').click();
    await page.waitForSelector('input[name=commit][aria-invalid=true]');
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.waitForFunction("document.querySelector('[role=dialog]') === null");

    await open('/acme/releases/till-v1.1.0');
    await page.waitForSelector('#stages');
    const stages = String(await read(page, "document.querySelector('[aria-labelledby=stages][role=table]').innerText"));
    expect(stages).toContain('4 min');
    expect(stages).toContain('till-prod: approval');
    await page.waitForSelector('[aria-labelledby=inside] ::-p-text(Change two)');
    await page.waitForSelector('[aria-labelledby=inside] ::-p-text(Since v1.0.0)');
    const crumbs = "[...document.querySelectorAll('nav[aria-label=Breadcrumb] li')].map((one) => one.innerText)";
    expect(await read(page, crumbs)).toEqual(['acme', 'Products', 'till', 'Releases', 'v1.1.0']);
    // The zones arrive apart from the comparison.
    await page.waitForSelector('[aria-labelledby=inside] option[value=till-rc]');
    await page.select('[aria-labelledby=inside] select', 'till-rc');
    await page.waitForSelector('[aria-labelledby=inside] ::-p-text(till-rc runs this version)');
    expect(await read(page, 'location.search')).toBe('?compare=till-rc');
    await page.locator('button ::-p-text(Cancel the Release)').click();
    await page.locator('[role=alertdialog] button ::-p-text(Cancel the Release)').click();
    await expect.poll(() => updates).toMatchObject([{ update: 'cancelRelease' }]);
    expect(faults).toEqual([]);
  });

  it('are led to when the same commit is started again', async () => {
    const { temporal } = createStartingTemporal({ release: 'till-v1.2.0' }, { startedBy: 'another request' });
    const world = await openConnectedUi([/status of 409/], { createTemporal: () => temporal });
    const { page, faults, open, store, push } = world;
    const [one, two, three] = [await push('one'), await push('two'), await push('three')];
    await seedTill(store, { one, two, three });
    await open('/acme/releases?product=till&start=true');
    await signIn(page);
    await page.locator('[role=dialog] input[name=commit]').fill(three);
    await page.locator('[role=dialog] button ::-p-text(Start the Release)').click();
    await page.waitForSelector('[role=dialog] [role=alert] ::-p-text(already in progress)');
    expect(await findBarriers(page)).toEqual([]);
    await page.locator('[role=alert] a ::-p-text(Open Release till-v1.2.0)').click();
    await page.waitForSelector('h1:focus ::-p-text(till v1.2.0)');
    expect(faults).toEqual([]);
  });

  it('say why older ones cannot be read', async () => {
    const { page, faults, open, store } = await openConnectedUi([/429/]);
    await page.setViewport({ width: 1440, height: 900 });
    for (let index = 0; index <= 50; index += 1)
      await createTillRelease(store, `v0.${index}.0`, { commit: String(index).padStart(40, '0') });
    await limitRequests(page, (request) => request.url().includes('continue='));
    await open('/acme/releases');
    await signIn(page);
    await page.locator('main button ::-p-text(Show older Releases)').click();
    await page.waitForSelector('main [role=alert] ::-p-text(Come back later.)');
    expect(faults).toEqual([]);
  });
});
