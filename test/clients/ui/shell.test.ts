import { expect, it, onTestFinished } from 'vitest';
import { createDeviceSignIn, findSignInByDeviceCode } from '../../../api/device-sign-in/device-sign-ins.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { startHttpServer } from '../../../src/main/process/start-http-server.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { seedShop } from './seed-shop.ts';

/** Opens the start page as the person "priya". */
async function openShell() {
  const world = await openUi();
  await seedShop(world.store);
  await world.open('/signin');
  await signIn(world.page);
  await world.page.waitForSelector('aside ::-p-text(Live)');
  const { page } = world;
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key as 'a');
  };
  const openPalette = async (): Promise<void> => {
    await page.keyboard.down('Control');
    await press('k');
    await page.keyboard.up('Control');
    await page.waitForSelector('[role=dialog] input:focus');
  };
  const waitForPath = async (path: string): Promise<void> => {
    await page.waitForFunction(`location.pathname + location.search === ${JSON.stringify(path)}`);
    await page.waitForSelector('h1:focus');
  };
  return { ...world, press, openPalette, waitForPath };
}

describeWithChromium('the frame of all pages in a browser', () => {
  it('finds, opens and runs everything from the keyboard, and turns single keys off', async () => {
    const { page, faults, press, openPalette, waitForPath } = await openShell();
    await openPalette();
    await page.keyboard.type('shop 418');
    await page.waitForSelector('[role=option] ::-p-text(Hold the fare)');
    await press('Enter');
    await waitForPath('/acme/changes/change-shop-418');
    // The closed palette gives the focus back to the heading of the page that is being left.
    await page.waitForSelector('#decision');
    await press('a');
    await page.waitForSelector('#decision:focus');
    await openPalette();
    await page.keyboard.type('copy as curl');
    await page.waitForFunction("document.querySelectorAll('[role=option]').length === 1");
    await press('Enter');
    await page.waitForFunction("!document.querySelector('[role=dialog]')");
    await openPalette();
    await page.keyboard.type('appearance dark');
    await page.waitForFunction("document.querySelectorAll('[role=option]').length === 1");
    await press('Enter');
    await page.waitForSelector('html[data-theme=dark]');
    await press('g', 'c');
    await waitForPath('/acme/changes');
    await press('j', 'j');
    const second = String(await read(page, 'document.activeElement.getAttribute("href")'));
    await press('Enter');
    await waitForPath(second);
    await press('?');
    await page.waitForSelector('[role=dialog] input[type=checkbox]');
    expect(await read(page, "document.querySelector('[role=dialog]').innerText")).toContain('Keyboard shortcuts');
    await page.locator('[role=dialog] input[type=checkbox]').click();
    await press('Escape');
    await page.waitForFunction("!document.querySelector('[role=dialog]')");
    await press('g', 'w', '?');
    expect(await read(page, "location.pathname + (document.querySelector('[role=dialog]') ? ' dialog' : '')")).toBe(
      second,
    );
    expect(faults).toEqual([]);
  });

  it('says that the person is still signed in when the sign-out fails, and tries again', async () => {
    const { page } = await openShell();
    await page.setViewport({ width: 1440, height: 900 });
    let isAway = true;
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (isAway && request.url().endsWith('/auth/sign-out')) void request.abort();
      else void request.continue();
    });
    await page.locator('aside button ::-p-text(priya)').click();
    await page.locator('[role=menuitem] ::-p-text(Sign out)').click();
    await page.waitForSelector('[role=dialog] ::-p-text(The connection to the server failed)');
    expect(await read(page, "document.querySelector('[role=dialog] h2').innerText")).toBe('You are still signed in');
    isAway = false;
    await page.locator('[role=dialog] button ::-p-text(Sign out)').click();
    await page.waitForFunction("location.pathname === '/signin'");
  });

  it('shows the code of a tool, who asks and for which role, and approves or denies it', async () => {
    const { page, store, open, press } = await openShell();
    const start = async (client: string) =>
      await createDeviceSignIn(store, { client, address: '203.0.113.7', roleMax: 'member' }, new Date());
    const [approved, denied] = [await start('deploy-tool'), await start('unknown-tool')];
    await open('/device');
    await page.waitForSelector('input[name=code]:focus');
    await page.keyboard.type('WDJB-MJHT');
    await press('Enter');
    await page.waitForSelector('[role=alert] ::-p-text(No sign-in is waiting with the code)');
    expect(await read(page, "document.querySelector('input[name=code]').value")).toBe('WDJB-MJHT');
    await open(`/device?code=${approved.userCode.toLowerCase()}`);
    const decision = await page.waitForSelector('#decision');
    const text = String(await decision?.evaluate((element) => (element as { innerText: string }).innerText));
    for (const part of [approved.userCode, 'deploy-tool', '203.0.113.7']) expect(text).toContain(part);
    await page.locator(`button ::-p-text(Approve ${approved.userCode})`).click();
    await page.waitForSelector('h2 ::-p-text(deploy-tool is signed in)');
    await open(`/device?code=${denied.userCode}`);
    await page.locator('button ::-p-text(Deny)').click();
    await page.waitForSelector('h2 ::-p-text(unknown-tool was denied)');
    const decide = async ({ deviceCode }: { deviceCode: string }) =>
      (await findSignInByDeviceCode(store, deviceCode))?.signIn;
    expect(await decide(approved)).toMatchObject({ roleMax: 'member', decision: { approved: true } });
    expect(await decide(denied)).toMatchObject({ decision: { approved: false } });
  });

  it('says why a page cannot be read, on what, and how to fix it, with the id of the request to copy', async () => {
    const { page, open } = await openShell();
    await open('/other');
    await page.waitForSelector('h1 ::-p-text(You do not have access to this page)');
    expect(await read(page, 'document.querySelector("main").innerText')).toContain('You are signed in as priya');
    await open('/acme/changes/change-shop-4188');
    await page.locator('main a ::-p-text(Hold the fare)').click();
    await page.waitForSelector('#decision');
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      const detail = 'The workflow server cannot be reached.';
      const body = JSON.stringify({
        status: 503,
        title: 'Unavailable',
        detail,
        reason: 'unavailable',
        instance: 'id-1',
      });
      const answer = { status: 503, contentType: 'application/problem+json', body };
      if (request.url().includes('/agentworkflowruns')) void request.respond(answer);
      else void request.continue();
    });
    await open('/acme/changes');
    await page.waitForSelector('main button ::-p-text(Try now)');
    const text = String(await read(page, 'document.querySelector("main").innerText'));
    for (const part of ['The workflow server cannot be reached.', 'GET /api/v1/orgs/acme/agentworkflowruns', 'id-1'])
      expect(text).toContain(part);
    await page.locator('button[aria-label="Copy the request id"]').click();
    await page.waitForFunction("document.querySelector('[role=status].sr')?.innerText === 'Copied.'");
  });

  it('offers a reload when the server has another build, and keeps over it what was typed', async () => {
    const { page, app } = await openShell();
    const port = await reservePort();
    let isUpdated = false;
    const fetch = async (request: Request): Promise<Response> => {
      const { pathname } = new URL(request.url);
      // The files of the build that the tab runs are gone; the page itself leads to those of the next one.
      if (isUpdated && pathname.startsWith('/assets/')) return new Response(null, { status: 404 });
      if (!pathname.startsWith('/api/')) isUpdated = false;
      const response = await app.fetch(request);
      if (pathname.endsWith('/me/stream')) response.headers.set('X-UI-Build', 'assets/index-of-the-next-build.js');
      return response;
    };
    const server = await startHttpServer({ fetch }, { port, host: '127.0.0.1' });
    onTestFinished(async () => await server.stop(0));
    await page.goto(`http://localhost:${port}/acme/changes/change-shop-419`);
    const answer = 'Keep the names for 24 hours,\nthen delete them.';
    await page.locator('main textarea').fill(answer);
    await page.evaluate('window.isBeforeReload = true');
    isUpdated = true;
    await page.locator('[role=status] button ::-p-text(Reload)').click();
    await page.waitForFunction('window.isBeforeReload === undefined');
    await page.waitForFunction(`document.querySelector('main textarea')?.value === ${JSON.stringify(answer)}`);
    // React has taken it over, and so it can be sent.
    await page.waitForSelector('#decision button:not([aria-disabled=true]) ::-p-text(Send guidance)');
    await page.reload();
    await page.waitForFunction(`document.querySelector('main textarea')?.value === ''`);
  });
});
