import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, inject } from 'vitest';
import { pageFlags } from '../../src/integrations/browser/chromium.ts';
import { launchIsolated } from '../../src/integrations/browser/launch-isolated.ts';
import { chromiumPath, isolatedBy } from '../support/servers/chromium.ts';
import { type Attack, testAttacks } from './attacks.ts';
import type { World } from './world.ts';

const facts = inject('redTeam');
let browser: Browser | undefined;
beforeAll(async () => {
  const args = ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP evil.test 127.0.0.1'];
  if (chromiumPath === '') return;
  browser = await launch({ executablePath: chromiumPath, pipe: true, args });
  // The browser of ada, who is signed in, visits mallory's zone.
  const [name = '', value = ''] = facts.credentials.ada.cookie.split('=');
  await browser.setCookie({ name, value, domain: 'localhost', path: '/', httpOnly: true, sameSite: 'Lax' });
});
afterAll(async () => await browser?.close());

const zonePage = (html = ''): string =>
  `http://app-rc.localhost:${facts.port + 1}/page?html=${encodeURIComponent(`<!doctype html>${html}`)}`;
const ownPage = `${facts.url}/livez`;
const me = `${facts.url}/api/v1/me`;

async function visit<T>(url: string, use: (page: Page) => Promise<T>): Promise<T> {
  const page = await browser?.newPage();
  if (!page) throw new Error('The browser did not start.');
  try {
    await page.goto(url);
    return await use(page);
  } finally {
    await page.close();
  }
}

const evaluate =
  (script: string) =>
  async (page: Page): Promise<boolean> =>
    (await page.evaluate(script)) === true;

/** A script of mallory's page. The counter-attack is the same script in a page of our own origin. */
const script = (name: string, code: string): Attack => ({
  name: `a page of a zone ${name}`,
  attempt: async () => await visit(zonePage(), evaluate(code)),
  counter: async () => await visit(ownPage, evaluate(code)),
});

const readText = (url: string, expected: string): string =>
  `fetch('${url}', { credentials: 'include' }).then((response) => response.text()).then((text) => text.includes('${expected}'), () => false)`;
const change = `fetch('${facts.url}/api/v1/orgs/acme/scheduling', { method: 'PUT', credentials: 'include', headers: { 'content-type': 'application/json' }, body: '{"enabled":false}' }).then((response) => response.ok, () => false)`;
const asScript = (url: string): string =>
  `new Promise((resolve) => { const one = document.createElement('script'); one.onload = () => resolve(true); one.onerror = () => resolve(false); one.src = '${url}'; document.documentElement.append(one) })`;
const asStream = `new Promise((resolve) => { const one = new EventSource('${facts.url}/api/v1/orgs/acme/agentworkflowruns', { withCredentials: true }); const end = (got) => { one.close(); resolve(got) }; one.onopen = () => end(true); one.onerror = () => end(false) })`;

/** Frames a page of the service. The counter-attack frames a page that does not object. */
const frames = async (url: string): Promise<boolean> =>
  await visit(zonePage(`<iframe src="${url}"></iframe>`), async (page) =>
    page.frames().some((frame) => frame.parentFrame() !== null && frame.url() === url),
  );

/** Opens a page of the service from mallory's. Returns whether the two can still reach each other. */
const keepsOpener = async (url: string): Promise<boolean> =>
  await visit(zonePage(), async (page) => {
    const opened = new Promise<Page | null>((resolve) => page.once('popup', resolve));
    await page.evaluate(`window.opened = window.open('${url}')`);
    const popup = await opened;
    await popup?.waitForNavigation({ timeout: 5_000 }).catch(() => undefined);
    const isReachable = (await page.evaluate('window.opened !== null && !window.opened.closed')) === true;
    await popup?.close().catch(() => undefined);
    return isReachable;
  });

const svg = (inside: string, attributes = ''): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"${attributes}>${inside}</svg>`;
const own = '<img src=x onerror=owned=true>';

/** A logo with a script. The counter-attack is a page that shows it as it is. */
const logo = (name: string, content: string): Attack => ({
  name: `mallory hides a script in a logo: ${name}`,
  attempt: async ({ call }) => {
    const headers = { 'content-type': 'image/svg+xml' };
    return (await call('PUT', '/v1/orgs/evil/products/app/logo', { as: 'mallory', headers, body: content })).ok;
  },
  counter: async () => await visit(zonePage(content), runsScript),
});

const runsScript = async (page: Page): Promise<boolean> =>
  await page.waitForFunction('window.owned === true', { timeout: 60_000 }).then(
    () => true,
    () => false,
  );

/** Opens a page in a browser as that of the service. The counter-attack opens it in a browser without its sandbox. */
const leavesSandbox = (name: string, toUrl: (world: World) => string): Attack => ({
  name: `the browser of the service shows ${name}`,
  attempt: async (world) => {
    const profile = await mkdtemp(join(tmpdir(), 'profile-'));
    const isolated = await launchIsolated({ ...isolatedBy(profile), flags: pageFlags });
    try {
      return await showsSecret(isolated.chromium, toUrl(world), world);
    } finally {
      isolated.kill();
      await isolated.ended;
      await rm(profile, { recursive: true, force: true });
    }
  },
  counter: async (world) => browser !== undefined && (await showsSecret(browser, toUrl(world), world)),
});

async function showsSecret(chromium: Browser, url: string, { canary }: World): Promise<boolean> {
  const page = await chromium.newPage();
  await page.goto(url, { timeout: 30_000 }).catch(() => undefined);
  const content = await page.content().catch(() => '');
  await page.close().catch(() => undefined);
  return content.includes(canary.secret);
}

const attacks: Attack[] = [
  leavesSandbox('a file of the host', ({ canary }) => `file://${canary.file}`),
  leavesSandbox('a loopback server', ({ canary }) => `http://127.0.0.1:${canary.port}/`),
  logo('an element', svg('<script>owned=true</script>')),
  logo('an event handler', svg('', ' onload="owned=true"')),
  logo('HTML', svg(`<foreignObject>${own.replace('onerror=owned=true', 'onerror="owned=true"')}</foreignObject>`)),
  logo('a comment', svg(`<!-->${own}-->`)),
  logo('an animation', svg('<animate attributeName="x" dur="1s" onbegin="owned=true"/>')),
  script('reads the API as its visitor', readText(me, 'ada@')),
  script('changes a setting as its visitor', change),
  {
    name: 'a page of a zone loads an answer of the API as a script',
    attempt: async () => await visit(zonePage(), evaluate(asScript(`${facts.url}/api/openapi.json`))),
    counter: async () => await visit(zonePage(), evaluate(asScript(zonePage('1')))),
  },
  script('follows a stream of the API', asStream),
  {
    name: 'a page of a zone reads the code host',
    attempt: async () => await visit(zonePage(), evaluate(readText(`${facts.codehostUrl}/acme/shop`, 'shop'))),
    counter: async () =>
      await visit(`${facts.codehostUrl}/api/v3`, evaluate(readText(`${facts.codehostUrl}/acme/shop`, 'shop'))),
  },
  {
    name: 'a page of a rebound host reads the API as its visitor',
    attempt: async ({ port }: World) =>
      await visit(`http://evil.test:${port}/livez`, evaluate(readText('/api/v1/me', 'ada@'))),
    counter: async () => await visit(ownPage, evaluate(readText('/api/v1/me', 'ada@'))),
  },
  {
    name: 'a page of a zone frames a page of the service',
    attempt: async () => await frames(`${facts.url}/api/docs/problems`),
    counter: async () => await frames(zonePage('framed')),
  },
  {
    name: 'a page of a zone keeps hold of a page of the service that it opens',
    attempt: async () => await keepsOpener(`${facts.url}/api/docs/problems`),
    counter: async () => await keepsOpener(zonePage('opened')),
  },
];

testAttacks('browsers', attacks, { skip: chromiumPath === '' });
