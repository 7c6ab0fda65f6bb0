import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { launch } from 'puppeteer-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { ScreenshotResult } from '../../../src/integrations/browser/browser.ts';
import { pageFlags } from '../../../src/integrations/browser/chromium.ts';
import { launchIsolated } from '../../../src/integrations/browser/launch-isolated.ts';
import { startCanary, startSite, type SitePage } from '../../support/servers/test-sites.ts';
import {
  chromiumPath,
  describeWithChromium,
  findBrowserPid,
  isolatedBy,
  startBrowser,
} from '../../support/servers/chromium.ts';
import { sample } from '../../support/sample.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

type Canary = Awaited<ReturnType<typeof startCanary>>;
type Attack = { name: string; page: (canary: Canary) => string };

const script = (code: string): string => `<h1>Hello</h1><script>${code}</script>`;
const allAttacks: Attack[] = [
  { name: 'an image', page: ({ at }) => `<img src="${at('127.0.0.1', '/img')}">` },
  { name: 'a style sheet', page: ({ at }) => `<link rel="stylesheet" href="${at('localhost', '/css')}">` },
  { name: 'a script', page: ({ at }) => `<script src="${at('127.0.0.1', '/js')}"></script>` },
  { name: 'a frame', page: ({ at }) => `<iframe src="${at('other.localhost', '/frame')}"></iframe>` },
  { name: 'an object', page: ({ at }) => `<object data="${at('127.0.0.1', '/object')}"></object>` },
  { name: 'fetch', page: ({ at }) => script(`fetch('${at('127.0.0.1', '/fetch')}', {mode: 'no-cors'})`) },
  { name: 'another port of the same name', page: ({ at }) => script(`fetch('${at('hello-rc.localhost')}')`) },
  { name: 'a beacon', page: ({ at }) => script(`navigator.sendBeacon('${at('127.0.0.1')}', 'x')`) },
  { name: 'a web socket', page: ({ port }) => script(`new WebSocket('ws://127.0.0.1:${port}/')`) },
  { name: 'an event source', page: ({ at }) => script(`new EventSource('${at('127.0.0.1')}')`) },
  {
    name: 'a worker’s fetch',
    page: ({ at }) =>
      script(`new Worker(URL.createObjectURL(new Blob(["fetch('${at('127.0.0.1')}', {mode: 'no-cors'})"])))`),
  },
  { name: 'preconnect', page: ({ at }) => `<link rel="preconnect" href="${at('127.0.0.1')}">` },
  { name: 'prefetch', page: ({ at }) => `<link rel="prefetch" href="${at('127.0.0.1')}">` },
  {
    name: 'speculation rules',
    page: ({ at }) =>
      `<a href="${at('127.0.0.1')}">x</a><script type="speculationrules">{"prerender":[{"urls":["${at('127.0.0.1')}"],"eagerness":"immediate"}],"prefetch":[{"urls":["${at('127.0.0.1')}"],"eagerness":"immediate"}]}</script>`,
  },
  { name: 'a meta refresh', page: ({ at }) => `<meta http-equiv="refresh" content="0;url=${at('127.0.0.1')}">` },
  { name: 'a move by script', page: ({ at }) => script(`location.href = '${at('127.0.0.1')}'`) },
  {
    name: 'a form',
    page: ({ at }) => `<form action="${at('127.0.0.1')}" method="post"></form>${script('document.forms[0].submit()')}`,
  },
  { name: 'a new window', page: ({ at }) => script(`window.open('${at('127.0.0.1')}')`) },
  {
    name: 'a download',
    page: ({ at }) => `<a download href="${at('127.0.0.1')}">x</a>${script('document.links[0].click()')}`,
  },
  {
    name: 'a ping',
    page: ({ at }) => `<a href="#x" ping="${at('127.0.0.1')}">x</a>${script('document.links[0].click()')}`,
  },
  {
    name: 'WebRTC',
    page: ({ port }) =>
      `<iframe id="clean"></iframe>${script(`
      for (const View of [window, document.getElementById('clean').contentWindow]) {
        try {
          const urls = ['stun:127.0.0.1:${port}', 'stun:localhost:${port}', 'turn:127.0.0.1:${port}?transport=udp', 'turn:127.0.0.1:${port}?transport=tcp'];
          const line = new View.RTCPeerConnection({iceServers: [{urls, username: 'a', credential: 'b'}]});
          line.createDataChannel('x');
          line.createOffer().then((offer) => line.setLocalDescription(offer));
        } catch {}
      }`)}`,
  },
  {
    name: 'WebRTC of a window without an address',
    page: ({ port }) =>
      script(`
        const view = window.open('about:blank');
        const line = new view.RTCPeerConnection({iceServers: [{urls: ['stun:127.0.0.1:${port}', 'stun:localhost:${port}']}]});
        line.createDataChannel('x');
        line.createOffer().then((offer) => line.setLocalDescription(offer));`),
  },
  { name: 'WebTransport', page: ({ port }) => script(`new WebTransport('https://127.0.0.1:${port}/')`) },
];
const attacks = sample(allAttacks, 8);

describeWithChromium('chromiumBrowser on a hostile site', () => {
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  const browserPid = (): number => findBrowserPid(browser.folder) ?? Number.NaN;
  // A busy machine is several times slower than an idle one.
  const timeouts = { loadTimeoutMs: 60_000, settleTimeoutMs: 500, captureTimeoutMs: 120_000 };
  beforeAll(async () => void (browser = await startBrowser(timeouts)));
  afterAll(async () => await browser.close());

  const captureBy = (one: typeof browser) => async (url: string) =>
    await one.capture({ url, address: '127.0.0.1' }, new AbortController().signal);
  const shoot = async (url: string): Promise<ScreenshotResult> => await captureBy(browser)(url);
  /** Starts a browser for a page that never finishes; its limit is too short for any other page on a busy machine. */
  const startHasty = async (limits: Partial<typeof timeouts>) => {
    const hasty = await startBrowser({ ...timeouts, ...limits });
    onTestFinished(async () => await hasty.close());
    return captureBy(hasty);
  };
  const goodPage = '<body style="background: teal"><h1>Hello</h1>';
  const expectGoodShot = async (): Promise<void> => {
    const { url } = await startSite({ '/': goodPage });
    expect(await shoot(url)).toMatchObject({ outcome: 'taken', type: 'image/png' });
  };

  it.each(attacks)('blocks requests to other hosts by $name', async ({ page }) => {
    const canary = await startCanary();
    const site = await startSite({ '/': page(canary) });
    await shoot(`${site.url}/some/path`);
    expect(site.requests[0]).toBe('/');
    expect(canary.connections).toEqual([]);
  });

  it('detects the same requests in an unconfined browser', async () => {
    const open = await launch({ executablePath: chromiumPath, pipe: true, args: ['--no-sandbox', '--disable-gpu'] });
    onTestFinished(async () => await open.close());
    for (const { name, page } of attacks) {
      const canary = await startCanary();
      const site = await startSite({ '/': page(canary) });
      const tab = await open.newPage();
      await tab.goto(`${site.url}/`, { timeout: 3_000 }).catch(() => undefined);
      await expect.poll(() => canary.connections.length, { message: name, timeout: 60_000 }).toBeGreaterThan(0);
      await tab.close();
    }
  });

  const elsewhere = [
    'http://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
    'chrome://version',
    'http://[::1]:1/',
  ];
  it.each(sample(elsewhere, 2))('is not followed to %s', async (elsewhere) => {
    const redirect: SitePage = (_, response) => response.writeHead(302, { location: elsewhere }).end();
    const moving = script(`location.href = '${elsewhere}'; window.open('${elsewhere}')`);
    for (const page of [redirect, moving, `<meta http-equiv="refresh" content="0;url=${elsewhere}">`]) {
      const { url } = await startSite({ '/': page });
      const shot = await shoot(url);
      // When the browser itself blocks the navigation, the page stays.
      const stays = !elsewhere.startsWith('http') && page !== redirect;
      expect(shot.outcome).toBe(stays ? 'taken' : 'failed');
    }
  });

  it('does not follow a redirect to another port, and names its target', async () => {
    const canary = await startCanary();
    const { url } = await startSite({
      '/': (_, response) => response.writeHead(302, { location: canary.at('localhost') }).end(),
    });
    expect(await shoot(url)).toEqual({
      outcome: 'failed',
      reason: `The site redirects to ${canary.at('localhost', '')}, but only the zone's own site is captured.`,
    });
    expect(canary.connections).toEqual([]);
  });

  it('follows redirects within the site', async () => {
    const { url, requests } = await startSite({
      '/': (_, response) => response.writeHead(302, { location: '/home' }).end(),
      '/home': '<h1>Home</h1><img src="/picture">',
    });
    expect(await shoot(url)).toMatchObject({ outcome: 'taken' });
    expect(requests).toEqual(expect.arrayContaining(['/', '/home', '/picture']));
  });

  it('does not resolve the name of the site again', async () => {
    const canary = await startCanary();
    // The name cannot be resolved, so only the given address can work.
    const { port, requests } = await startSite({ '/': script("fetch('/again')"), '/again': 'x' });
    const rebound = await browser.capture(
      { url: `http://rebinding.example:${port}/`, address: '127.0.0.1' },
      new AbortController().signal,
    );
    expect(rebound).toMatchObject({ outcome: 'taken' });
    expect(requests).toEqual(expect.arrayContaining(['/', '/again']));
    const gone = await browser.capture(
      { url: canary.at('hello-rc.localhost'), address: '127.0.0.2' },
      new AbortController().signal,
    );
    expect(gone).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('did not respond') });
    expect(canary.connections).toEqual([]);
  });

  it.each([
    ['opens dialogs', script('alert(1); confirm(2); prompt(3); onbeforeunload = () => "stay"; print()')],
    ['opens endless windows', script('setInterval(() => window.open("/"), 5)')],
    ['is very long', `<body>${'<p>Hello, there is more.</p>'.repeat(50_000)}`],
    ['is very wide and high', '<body style="width: 1000000px; height: 9000000px; background: teal">'],
  ])('captures a page that %s', async (_, page) => {
    const { url } = await startSite({ '/': page });
    expect(await shoot(url)).toMatchObject({ outcome: 'taken' });
  });

  it.each([
    ['never ends', (write: (text: string) => void) => void setInterval(() => write('<p>more</p>'), 50).unref()],
    ['stops in the middle', (write: (text: string) => void) => write('<p>and then')],
  ])('captures the current state of a page whose response %s', async (_, go) => {
    const { url } = await startSite({
      '/': (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.write('<body><h1>Hello</h1>');
        go((text) => void (response.destroyed || response.write(text)));
      },
    });
    for (const loadTimeoutMs of [3_000, 60_000]) {
      const capture = await startHasty({ loadTimeoutMs });
      if ((await capture(url)).outcome === 'taken') return;
    }
    expect.unreachable('The page is not captured.');
  });

  it('limits the bytes of an endless response', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    let sent = 0;
    const { url } = await startSite({
      '/': (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        const go = (): void => {
          while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        };
        response.on('drain', go);
        go();
      },
    });
    const capture = await startHasty({ loadTimeoutMs: 3_000 });
    await capture(url);
    expect(sent).toBeLessThan(100 * 1024 * 1024);
  });

  it('fails only the capture of a page that blocks its renderer', async () => {
    const { url } = await startSite({ '/': '<h1>Hello</h1><script>for (;;);</script>' });
    const good = await startSite({ '/': goodPage });
    for (const seconds of [8, 60]) {
      const capture = await startHasty({ captureTimeoutMs: seconds * 1_000 });
      const [stuck, ...others] = await Promise.all([capture(url), capture(good.url)]);
      expect(stuck).toEqual({ outcome: 'failed', reason: `The site did not render within ${seconds} s.` });
      others.push(await capture(good.url));
      if (others.every(({ outcome }) => outcome === 'taken')) return;
    }
    expect.unreachable('Other pages are not captured.');
  });

  it('fails only the capture of a page that exhausts its memory', async () => {
    const { url } = await startSite({
      '/': script('const all = []; for (;;) all.push(new Array(1e6).fill(Math.random()))'),
    });
    const good = await startSite({ '/': goodPage });
    for (const captureTimeoutMs of [8_000, 60_000]) {
      const capture = await startHasty({ captureTimeoutMs });
      expect(await capture(url)).toMatchObject({ outcome: 'failed' });
      if ((await capture(good.url)).outcome === 'taken') return;
    }
    expect.unreachable('The next page is not captured.');
  });

  it('fails only the capture of a page that crashes the browser', async () => {
    const { url } = await startSite({
      '/': () => void process.kill(browserPid(), 'SIGKILL'),
    });
    expect(await shoot(url)).toEqual({ outcome: 'failed', reason: 'The browser crashed on this site.' });
    await expectGoodShot();
  });

  const answers: [string, (response: ServerResponse) => unknown][] = [
    ['a password', (response) => response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end('Who?')],
    ['an empty response', (response) => response.writeHead(204).end()],
    [
      'a proxy password prompt',
      (response) => response.writeHead(407, { 'proxy-authenticate': 'Basic realm="x"' }).end(),
    ],
    ['a file', (response) => response.writeHead(200, { 'content-type': 'application/zip' }).end('PK')],
    ['a PDF', (response) => response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.4')],
    ['a closed connection', (response) => response.destroy()],
  ];
  it.each(sample(answers, 3))('keeps working after a site responds with %s', async (_, answer) => {
    const { url } = await startSite({ '/': (_request, response) => void answer(response) });
    const shot = await shoot(url);
    expect(shot.outcome === 'taken' ? shot.type : shot.reason).toMatch(/^(image\/png|The site )/);
    await expectGoodShot();
  });

  it('keeps no service worker, cookie or cache between captures', async () => {
    const canary = await startCanary();
    const worker = `
      oninstall = () => skipWaiting();
      onactivate = (event) => event.waitUntil(clients.claim());
      onfetch = (event) => { fetch('${canary.at('127.0.0.1')}', {mode: 'no-cors'}); event.respondWith(new Response('mine')); };
      fetch('${canary.at('127.0.0.1')}', {mode: 'no-cors'});`;
    const cookies: (string | undefined)[] = [];
    const { url, requests } = await startSite({
      '/': (request, response) => {
        cookies.push(request.headers.cookie);
        response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'me=1', 'cache-control': 'max-age=999' });
        response.end(script("navigator.serviceWorker.register('/worker.js').then(() => fetch('/done'))"));
      },
      '/worker.js': (_, response) => response.writeHead(200, { 'content-type': 'text/javascript' }).end(worker),
    });
    await shoot(url);
    await shoot(url);
    expect(requests.filter((path) => path === '/')).toHaveLength(2);
    expect(requests).toContain('/worker.js');
    expect(cookies).toEqual([undefined, undefined]);
    expect(canary.connections).toEqual([]);
  });

  it('passes no variable of the service to the browser', async () => {
    const { url } = await startSite({ '/': goodPage });
    await shoot(url);
    const environment = await readFile(`/proc/${browserPid()}/environ`, 'utf8');
    const names = environment.split('\0').map((line) => line.split('=')[0]);
    expect(names).not.toContain('USER');
    expect(environment).not.toContain(process.env['PATH']);
  });

  it('resolves no name in the browser, unlike an unconfined browser', async () => {
    const folder = await createScratchFolder();
    const links = ['dns-prefetch', 'preconnect', 'prefetch'].map(
      (rel) => `<link rel="${rel}" href="http://${rel}.canary.example/">`,
    );
    const stun = `const line = new RTCPeerConnection({iceServers: [{urls: 'stun:stun.canary.example:1'}]});
      line.createDataChannel('x');
      line.createOffer().then((offer) => line.setLocalDescription(offer));`;
    const { url } = await startSite({ '/': `${links.join('')}<img src="http://image.canary.example">${script(stun)}` });

    const openLog = join(folder, 'open.json');
    const args = ['--no-sandbox', '--disable-gpu', `--log-net-log=${openLog}`];
    const open = await launch({ executablePath: chromiumPath, pipe: true, args });
    await (await open.newPage()).goto(url, { timeout: 60_000 }).catch(() => undefined);
    await open.close();
    expect(await countLookups(openLog)).toBeGreaterThan(0);

    const flags = [...pageFlags, '--log-net-log=/profile/net.json'];
    const isolated = await launchIsolated({ ...isolatedBy(folder), flags });
    const proxy = isolated.openProxy({ url, address: '127.0.0.1' });
    const context = await isolated.chromium.createBrowserContext({
      proxyServer: proxy.url,
      proxyBypassList: ['<-loopback>'],
    });
    expect((await (await context.newPage()).goto(url))?.status()).toBe(200);
    await isolated.chromium.close();
    await isolated.ended;
    await proxy.close();
    expect(await countLookups(join(folder, 'net.json'))).toBe(0);
  });
});

/** Counts the name lookups in the network log of the browser. */
async function countLookups(log: string): Promise<number> {
  const text = await readFile(log, 'utf8');
  const types = [...text.matchAll(/"HOST_RESOLVER_(?:SYSTEM|DNS)_TASK":(\d+)/g)].map(([, type]) => type);
  expect(types).toHaveLength(2);
  return types.flatMap((type) => [...text.matchAll(new RegExp(`"type":${type}[,}]`, 'g'))]).length;
}
