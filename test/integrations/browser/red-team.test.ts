import { readFile, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { launch } from 'puppeteer-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Shot } from '../../../src/integrations/browser/browser.ts';
import { chromiumBrowser } from '../../../src/integrations/browser/chromium.ts';
import { aCanary, aSite, type Page } from '../../support/hostile-site.ts';
import { chromiumPath, describeWithChromium, pidOfBrowser, startBrowser } from '../../support/chromium.ts';
import { scratchFolder } from '../../support/programs.ts';

type Canary = Awaited<ReturnType<typeof aCanary>>;
type Attack = { name: string; page: (canary: Canary) => string };

const script = (code: string): string => `<h1>Hello</h1><script>${code}</script>`;
const attacks: Attack[] = [
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

describeWithChromium('a hostile site', () => {
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  const browserPid = (): number => pidOfBrowser(browser.folder) ?? Number.NaN;
  const pace = { loadMs: 3_000, settleMs: 500, shotMs: 8_000 };
  beforeAll(async () => void (browser = await startBrowser(pace)));
  afterAll(async () => await browser.close());

  const shoot = async (url: string): Promise<Shot> =>
    await browser.shoot({ url, address: '127.0.0.1' }, new AbortController().signal);
  const goodPage = '<body style="background: teal"><h1>Hello</h1>';
  const expectGoodShot = async (): Promise<void> => {
    const { url } = await aSite({ '/': goodPage });
    expect(await shoot(url)).toMatchObject({ outcome: 'taken', type: 'image/png' });
  };

  it.each(attacks)('reaches nobody else by $name', async ({ page }) => {
    const canary = await aCanary();
    const site = await aSite({ '/': page(canary) });
    await shoot(`${site.url}/some/path`);
    expect(site.asked[0]).toBe('/');
    expect(canary.heard).toEqual([]);
  });

  it('would reach somebody in a browser that is not kept in: the canary hears', async () => {
    const open = await launch({ executablePath: chromiumPath, pipe: true, args: ['--no-sandbox', '--disable-gpu'] });
    onTestFinished(async () => await open.close());
    for (const { name, page } of attacks) {
      const canary = await aCanary();
      const site = await aSite({ '/': page(canary) });
      const tab = await open.newPage();
      await tab.goto(`${site.url}/`, { timeout: 3_000 }).catch(() => undefined);
      await expect.poll(() => canary.heard.length, { message: name, timeout: 10_000 }).toBeGreaterThan(0);
      await tab.close();
    }
  });

  it.each(['http://169.254.169.254/latest/meta-data/', 'file:///etc/passwd', 'chrome://version', 'http://[::1]:1/'])(
    'is not followed to %s',
    async (elsewhere) => {
      const redirect: Page = (_, response) => response.writeHead(302, { location: elsewhere }).end();
      const moving = script(`location.href = '${elsewhere}'; window.open('${elsewhere}')`);
      for (const page of [redirect, moving, `<meta http-equiv="refresh" content="0;url=${elsewhere}">`]) {
        const { url } = await aSite({ '/': page });
        const shot = await shoot(url);
        // What the browser itself refuses leaves the page as it was.
        const stays = !elsewhere.startsWith('http') && page !== redirect;
        expect(shot.outcome).toBe(stays ? 'taken' : 'failed');
      }
    },
  );

  it('is not followed to another port of this machine, and the reason says where it leads', async () => {
    const canary = await aCanary();
    const { url } = await aSite({
      '/': (_, response) => response.writeHead(302, { location: canary.at('localhost') }).end(),
    });
    expect(await shoot(url)).toEqual({
      outcome: 'failed',
      why: `The site leads to ${canary.at('localhost', '')}, and a screenshot is of the zone's own site only.`,
    });
    expect(canary.heard).toEqual([]);
  });

  it('is followed within itself', async () => {
    const { url, asked } = await aSite({
      '/': (_, response) => response.writeHead(302, { location: '/home' }).end(),
      '/home': '<h1>Home</h1><img src="/picture">',
    });
    expect(await shoot(url)).toMatchObject({ outcome: 'taken' });
    expect(asked).toEqual(expect.arrayContaining(['/', '/home', '/picture']));
  });

  it('cannot make its name mean another address while it is looked at', async () => {
    const canary = await aCanary();
    // The name is one that no look-up knows: what was judged once is the only address there is.
    const { port, asked } = await aSite({ '/': script("fetch('/again')"), '/again': 'x' });
    const rebound = await browser.shoot(
      { url: `http://rebinding.example:${port}/`, address: '127.0.0.1' },
      new AbortController().signal,
    );
    expect(rebound).toMatchObject({ outcome: 'taken' });
    expect(asked).toEqual(expect.arrayContaining(['/', '/again']));
    const gone = await browser.shoot(
      { url: canary.at('hello-rc.localhost'), address: '127.0.0.2' },
      new AbortController().signal,
    );
    expect(gone).toMatchObject({ outcome: 'failed', why: expect.stringContaining('did not answer') });
    expect(canary.heard).toEqual([]);
  });

  it.each([
    ['asks and asks', script('alert(1); confirm(2); prompt(3); onbeforeunload = () => "stay"; print()')],
    ['opens windows without end', script('setInterval(() => window.open("/"), 5)')],
    ['is very long', `<body>${'<p>Hello, there is more.</p>'.repeat(50_000)}`],
    ['is very wide and high', '<body style="width: 1000000px; height: 9000000px; background: teal">'],
  ])('that %s is shown nevertheless', async (_, page) => {
    const { url } = await aSite({ '/': page });
    expect(await shoot(url)).toMatchObject({ outcome: 'taken' });
  });

  it.each([
    ['never ends', (write: (text: string) => void) => void setInterval(() => write('<p>more</p>'), 50).unref()],
    ['waits for ever in the middle', (write: (text: string) => void) => write('<p>and then')],
  ])('whose answer %s is shown as far as it has come', async (_, go) => {
    const { url } = await aSite({
      '/': (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.write('<body><h1>Hello</h1>');
        go((text) => void (response.destroyed || response.write(text)));
      },
    });
    expect(await shoot(url)).toMatchObject({ outcome: 'taken' });
  });

  it('that sends without end, as fast as it can, fills nothing', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    let sent = 0;
    const { url } = await aSite({
      '/': (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        const go = (): void => {
          while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        };
        response.on('drain', go);
        go();
      },
    });
    await shoot(url);
    expect(sent).toBeLessThan(100 * 1024 * 1024);
    await expectGoodShot();
  });

  it('that never lets the browser do anything costs one shot, not those beside and after it', async () => {
    const { url } = await aSite({ '/': '<h1>Hello</h1><script>for (;;);</script>' });
    const [stuck] = await Promise.all([shoot(url), expectGoodShot()]);
    expect(stuck).toEqual({ outcome: 'failed', why: 'The site did not let itself be painted within 8 s.' });
    await expectGoodShot();
  });

  it('that uses up its memory costs one shot', async () => {
    const { url } = await aSite({
      '/': script('const all = []; for (;;) all.push(new Array(1e6).fill(Math.random()))'),
    });
    expect(await shoot(url)).toMatchObject({ outcome: 'failed' });
    await expectGoodShot();
  });

  it('that ends the browser costs that shot; the ones after it have a new one', async () => {
    const { url } = await aSite({
      '/': () => void process.kill(browserPid(), 'SIGKILL'),
    });
    expect(await shoot(url)).toEqual({ outcome: 'failed', why: 'The browser broke down over this site.' });
    await expectGoodShot();
  });

  it.each([
    [
      'a password',
      (response: ServerResponse) => response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end('Who?'),
    ],
    ['nothing at all', (response: ServerResponse) => response.writeHead(204).end()],
    [
      'a password for the proxy',
      (response: ServerResponse) => response.writeHead(407, { 'proxy-authenticate': 'Basic realm="x"' }).end(),
    ],
    ['a file', (response: ServerResponse) => response.writeHead(200, { 'content-type': 'application/zip' }).end('PK')],
    [
      'a PDF',
      (response: ServerResponse) => response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1.4'),
    ],
    ['no answer', (response: ServerResponse) => response.destroy()],
  ])('that gives %s leaves the browser well', async (_, answer) => {
    const { url } = await aSite({ '/': (_request, response) => void answer(response) });
    const shot = await shoot(url);
    expect(shot.outcome === 'taken' ? shot.type : shot.why).toMatch(/^(image\/png|The site )/);
    await expectGoodShot();
  });

  it('leaves nothing behind: no service worker, cookie or cache meets the next visit', async () => {
    const canary = await aCanary();
    const worker = `
      oninstall = () => skipWaiting();
      onactivate = (event) => event.waitUntil(clients.claim());
      onfetch = (event) => { fetch('${canary.at('127.0.0.1')}', {mode: 'no-cors'}); event.respondWith(new Response('mine')); };
      fetch('${canary.at('127.0.0.1')}', {mode: 'no-cors'});`;
    const cookies: (string | undefined)[] = [];
    const { url, asked } = await aSite({
      '/': (request, response) => {
        cookies.push(request.headers.cookie);
        response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'me=1', 'cache-control': 'max-age=999' });
        response.end(script("navigator.serviceWorker.register('/worker.js').then(() => fetch('/done'))"));
      },
      '/worker.js': (_, response) => response.writeHead(200, { 'content-type': 'text/javascript' }).end(worker),
    });
    await shoot(url);
    await shoot(url);
    expect(asked.filter((path) => path === '/')).toHaveLength(2);
    expect(asked).toContain('/worker.js');
    expect(cookies).toEqual([undefined, undefined]);
    expect(canary.heard).toEqual([]);
  });

  it('finds nothing of the service’s environment in the browser', async () => {
    const { url } = await aSite({ '/': goodPage });
    await shoot(url);
    const environment = await readFile(`/proc/${browserPid()}/environ`, 'utf8');
    const names = environment.split('\0').map((line) => line.split('=')[0]);
    expect(names).not.toContain('USER');
    expect(environment).not.toContain(process.env['PATH']);
  });

  it('has no name looked up by the browser, which one that is not kept in would do', async () => {
    const folder = await scratchFolder();
    const log = join(folder, 'net.json');
    const starter = join(folder, 'logging-chromium');
    await writeFile(starter, `#!/bin/sh\nexec "${chromiumPath}" --log-net-log="${log}" "$@"\n`, { mode: 0o755 });
    const links = ['dns-prefetch', 'preconnect', 'prefetch'].map(
      (rel) => `<link rel="${rel}" href="http://${rel}.canary.example/">`,
    );
    const stun = `const line = new RTCPeerConnection({iceServers: [{urls: 'stun:stun.canary.example:1'}]});
      line.createDataChannel('x');
      line.createOffer().then((offer) => line.setLocalDescription(offer));`;
    const { url } = await aSite({ '/': `${links.join('')}<img src="http://image.canary.example">${script(stun)}` });

    const open = await launch({ executablePath: starter, pipe: true, args: ['--no-sandbox', '--disable-gpu'] });
    await (await open.newPage()).goto(url, { timeout: 5_000 }).catch(() => undefined);
    await open.close();
    expect(await lookUpsIn(log)).toBeGreaterThan(0);
    await rm(log);

    const logging = chromiumBrowser({ executable: starter, folder: join(folder, 'b'), imageBytesMax: 1e6, pace });
    const shot = await logging.shoot({ url, address: '127.0.0.1' }, new AbortController().signal);
    await logging.close();
    expect(shot).toMatchObject({ outcome: 'taken' });
    expect(await lookUpsIn(log)).toBe(0);
  });
});

/** How often the browser asked anybody for a name's address, by its own log of what it does on the network. */
async function lookUpsIn(log: string): Promise<number> {
  const text = await readFile(log, 'utf8');
  const types = [...text.matchAll(/"HOST_RESOLVER_(?:SYSTEM|DNS)_TASK":(\d+)/g)].map(([, type]) => type);
  expect(types).toHaveLength(2);
  return types.flatMap((type) => [...text.matchAll(new RegExp(`"type":${type}[,}]`, 'g'))]).length;
}
