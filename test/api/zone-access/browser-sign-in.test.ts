import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { readGateSettings } from '../../../src/main/gate/read-gate-settings.ts';
import { startGate } from '../../../src/main/gate/start-gate.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { startHttpServer } from '../../../src/main/process/start-http-server.ts';
import { AccessGroupKind } from '../../../src/rules/access/kinds.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openChromium, readPage, submitForm } from '../../support/servers/open-chromium.ts';
import { startApi } from '../../support/start-api.ts';

const viewer = { email: 'jo@example.com', password: 'a long enough password' };
const stranger = { email: 'stranger@example.com', password: 'another long password' };

/** Serves the API and, behind its gate, the zone "hello-rc" for people who signed in. */
async function startZone() {
  const [port, gatePort] = [await reservePort(), await reservePort()];
  const publicUrl = `http://localhost:${port}`;
  const zoneAddress = (zone: string): string => `http://${zone}.localhost:${gatePort}`;
  const api = await startApi({ config: { publicUrl, zoneAddress } });
  const product = { name: 'hello', spec: { repos: ['acme/hello'] } };
  expect((await api.request('/v1/orgs/acme/products', { method: 'POST', body: product })).status).toBe(201);
  for (const body of [viewer, stranger])
    await api.request('/v1/access/users', { method: 'POST', via: 'session', body });
  await api.store.create(AccessGroupKind, {
    metadata: { namespace: 'org-acme', name: 'readers' },
    spec: { name: 'readers', role: 'viewer', members: [viewer.email] },
  });
  const server = await startHttpServer(api.app, { port, host: '127.0.0.1' });
  onTestFinished(async () => await server.stop(0));
  const settings = readGateSettings({
    PORT: String(gatePort),
    ZONE: 'hello-rc',
    ZONE_ADDRESS: zoneAddress('hello-rc'),
    APP_URL: await startApp(),
    API_URL: publicUrl,
    PUBLIC_URL: publicUrl,
    SHUTDOWN_DELAY_SECONDS: '0',
  });
  const gate = await startGate(settings, { warn: () => {} });
  onTestFinished(gate.stop);
  return { api, zoneUrl: zoneAddress('hello-rc'), publicUrl };
}

/** Starts an app that responds with the path of the request. */
async function startApp(): Promise<string> {
  const app = createServer((request, response) => {
    response.setHeader('content-type', 'text/html').end(`<p>The app at ${request.url}</p>`);
  });
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  onTestFinished(() => void app.close());
  return `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
}

describeWithChromium('a browser that opens a zone', () => {
  it('signs in on the page of the service and arrives at the page of the zone, also the next time', async () => {
    const { zoneUrl, publicUrl } = await startZone();
    const page = await openChromium();
    await page.goto(`${zoneUrl}/page?one=1`);
    expect(page.url()).toContain(`${publicUrl}/api/v1/auth/zone-sign-in?`);
    await submitForm(page, viewer);
    expect(await readPage(page)).toBe('The app at /page?one=1');
    expect(page.url()).toBe(`${zoneUrl}/page?one=1`);
    await page.goto(`${zoneUrl}/other`);
    expect(await readPage(page)).toBe('The app at /other');
    // With the session of the service, a browser that lost the one of the zone needs no password.
    const cookies = await page.browserContext().cookies();
    await page.browserContext().deleteCookie(...cookies.filter(({ name }) => name === 'svc_zone_session'));
    await page.goto(`${zoneUrl}/again`);
    expect(await readPage(page)).toBe('The app at /again');
  });

  it('tries again on the page after a wrong password, and waits after ten', async () => {
    const { zoneUrl } = await startZone();
    const page = await openChromium();
    await page.goto(zoneUrl);
    await submitForm(page, { ...viewer, password: 'wrong' });
    expect(await readPage(page)).toContain('The e-mail address or the password is wrong.');
    await submitForm(page, viewer);
    expect(await readPage(page)).toBe('The app at /');
    const other = await openChromium();
    await other.goto(zoneUrl);
    for (let attempt = 0; attempt < 10; attempt++) await submitForm(other, { ...stranger, password: 'wrong' });
    const response = other.waitForResponse((received) => received.status() === 429);
    await submitForm(other, stranger);
    expect((await response).headers()).toMatchObject({ 'retry-after': expect.stringMatching(/^\d+$/) });
    expect(await readPage(other)).toContain('Too many attempts to sign in to this account.');
  });

  it('learns that a person without a role cannot open it, and lets another sign in', async () => {
    const { zoneUrl } = await startZone();
    const page = await openChromium();
    await page.goto(zoneUrl);
    await submitForm(page, stranger);
    expect(await readPage(page)).toContain('Only people with a role in its org can open the zone "hello-rc".');
    await page.goto(zoneUrl);
    expect(await readPage(page)).toContain('Only people with a role in its org can open the zone "hello-rc".');
    await submitForm(page, viewer);
    expect(await readPage(page)).toBe('The app at /');
  });

  it('reads pages about zones that do not exist, other addresses and used links', async () => {
    const { zoneUrl, publicUrl } = await startZone();
    const page = await openChromium();
    const signInUrl = (zone: string, to: string): string =>
      `${publicUrl}/api/v1/auth/zone-sign-in?${new URLSearchParams({ zone, to }).toString()}`;
    for (const [url, status, text] of [
      [signInUrl('nowhere', zoneUrl), 422, 'The zone "nowhere" is not served at'],
      [signInUrl('hello-rc', 'http://evil.example/'), 422, 'is not served at http://evil.example'],
      [signInUrl('hello-rc', '<script>'), 422, 'is invalid'],
      [`${zoneUrl}/.service/sign-in?ticket=used&to=/`, 401, 'Open the zone again'],
      [`${publicUrl}/api/v1/codehost/callback?code=x&state=y`, 401, 'Sign in'],
    ] as const) {
      const response = await page.goto(url);
      expect(response?.status(), url).toBe(status);
      expect(response?.headers()['content-type'], url).toBe('text/html; charset=UTF-8');
      expect(await readPage(page)).toContain(text);
      expect(await readPage(page)).not.toContain('{');
    }
  });
});

it('returns problem documents to programs', async () => {
  const { publicUrl } = await startZone();
  const response = await fetch(`${publicUrl}/api/v1/auth/zone-sign-in?zone=nowhere&to=http%3A%2F%2Fevil.example`);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(await response.json()).toMatchObject({ status: 422, errors: [{ pointer: '?to' }] });
});
