import { lstat, readdir, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import { createAcmeOrg, pushRepo, waitForZonePhase } from '../support/platform/acme.ts';
import { openSignInPage, sendPageRequest as sendRequest } from '../support/platform/send-page-request.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { TestPlatform, rootUser } from '../support/platform/test-platform.ts';

let platform: TestPlatform;
let api: ApiClient;
beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.signInAsRoot();
  await createAcmeOrg(api);
}, 60_000);
afterAll(async () => await platform.remove());

const app = {
  'app.js': `export const app = (request, response) => response.end(JSON.stringify(request.headers));\n`,
};

async function deployZone(name: string, access: string): Promise<{ address: string; release: string }> {
  await pushRepo(platform, { fullName: `acme/${name}`, files: { ...app, 'server.js': server } });
  const zones = [{ name: `${name}-rc`, promotionPolicy: 'automatic', access }];
  await api.post('/v1/orgs/acme/products', { name, spec: { repos: [`acme/${name}`], delivery: { zones } } });
  const { name: release } = await api.post<{ name: string }>('/v1/orgs/acme/releases', { product: name });
  await waitForZonePhase(api, release, { zone: `${name}-rc`, phase: 'Verified' });
  return { address: platform.zoneUrl(`${name}-rc`), release };
}

/** The app responds with the headers that it received. */
const server = `import { createServer } from 'node:http';
createServer((request, response) => response.end(JSON.stringify(request.headers))).listen(process.env.PORT, '127.0.0.1');
`;

async function signIn(
  address: string,
  form: Record<string, string>,
): Promise<{ session: string; zoneSession: string; to: string }> {
  const { page, browser } = await openSignInPage(address);
  expect(await sendRequest(page, { html: true })).toMatchObject({
    status: 200,
    text: expect.stringContaining('Sign in'),
  });
  const signedIn = await sendRequest(page, { form });
  expect(signedIn).toMatchObject({ status: 303, location: expect.stringContaining('/.service/sign-in?ticket=') });
  // The link signs in only the browser that opened the zone.
  expect((await sendRequest(signedIn.location ?? '')).status).toBe(401);
  const entered = await sendRequest(signedIn.location ?? '', { cookie: browser });
  expect(entered.status).toBe(303);
  // A ticket can be used once.
  expect((await sendRequest(signedIn.location ?? '', { cookie: browser })).status).toBe(401);
  return { session: signedIn.cookie ?? '', zoneSession: entered.cookie ?? '', to: entered.location ?? '' };
}

it('admits only signed-in people with access to the Product', async () => {
  const { address } = await deployZone('club', 'signed-in');
  expect((await sendRequest(address)).status).toBe(401);
  expect(
    (await sendRequest(address, { cookie: 'svc_zone_session=svc_made-up', headers: { 'x-service-user': 'root' } }))
      .status,
  ).toBe(401);
  expect((await sendRequest(`${address}/.service/sign-in?ticket=made-up&to=/`)).status).toBe(401);

  const { session, zoneSession, to } = await signIn(`${address}/page?one=1`, rootUser);
  expect(to).toBe('/page?one=1');
  const response = await sendRequest(address, { cookie: `own=kept; ${zoneSession}` });
  expect(response.status).toBe(200);
  expect(JSON.parse(response.text)).toMatchObject({ cookie: 'own=kept' });
  expect(response.text).not.toContain('svc_zone_session');

  // A zone session is valid neither for another zone nor for the service.
  const { address: other } = await deployZone('den', 'signed-in');
  expect((await sendRequest(other, { cookie: zoneSession })).status).toBe(401);
  expect(
    (await sendRequest(`${platform.url}/api/v1/me`, { cookie: zoneSession.replace('svc_zone_session', 'svc_session') }))
      .status,
  ).toBe(401);
  const foreignRedirect = `${platform.url}/api/v1/auth/zone-sign-in?zone=club-rc&to=${encodeURIComponent('http://evil.example/')}`;
  expect((await sendRequest(foreignRedirect, { cookie: session })).status).toBe(422);

  await sendRequest(`${platform.url}/api/v1/auth/sign-out`, {
    cookie: session,
    form: {},
    headers: { origin: platform.url },
  });
  expect((await sendRequest(address, { cookie: zoneSession })).status).toBe(401);
});

it('403: a signed-in person without access to the Product', async () => {
  const { address } = await deployZone('cellar', 'signed-in');
  const stranger = { email: 'stranger@example.com', password: 'a long enough password' };
  await platform.createUser(stranger);
  const { page: location } = await openSignInPage(address);
  const wrong = await sendRequest(location, { form: { ...stranger, password: 'wrong' }, html: true });
  expect(wrong.text).toContain('The e-mail address or the password is wrong.');
  expect((await sendRequest(location, { form: stranger })).status).toBe(403);
});

it('verifies a zone without external access, which responds to external requests only after access is granted', async () => {
  const { address, release } = await deployZone('vault', 'none');
  expect((await sendRequest(address)).status).toBe(404);
  const settings = await api.get<{ spec: { delivery: { zones: object[] } }; generation: number }>(
    '/v1/orgs/acme/products/vault',
  );
  const zones = settings.spec.delivery.zones.map((zone) => ({ ...zone, access: 'public', replicas: 2 }));
  await api.put('/v1/orgs/acme/products/vault', {
    spec: { ...settings.spec, delivery: { zones } },
    generation: settings.generation,
  });
  await waitUntil(
    async () => await sendRequest(address),
    ({ status }) => status === 200,
  );
  const zone = await api.get<{ status: { release: string; settings: { phase: string } } }>(
    '/v1/orgs/acme/products/vault/zones/vault-rc',
  );
  expect(zone.status).toMatchObject({ release });
});

it('421: opens no zone to a page that reached the internal port by DNS rebinding', async () => {
  const sendTo = async (host: string): Promise<number | undefined> =>
    await new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port: platform.port + 7, headers: { host } });
      outgoing.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
      outgoing.end();
    });
  expect(await sendTo('club.club-rc.svc.localhost')).toBe(200);
  expect(await sendTo('club.club-rc.evil.test')).toBe(421);
});

it('keeps everything that it wrote unreadable for other users of the machine', async () => {
  expect((await stat(platform.dataDir)).mode & 0o777).toBe(0o700);
  const entries = await readdir(platform.dataDir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => !entry.isSymbolicLink())
    .map(({ parentPath, name }) => join(parentPath, name))
    // The browser sets the modes of its font cache itself; the folder of its profile, which is listed, is closed.
    .filter((file) => !/\/browser\/profile-\d+\//.test(file));
  // Files that are written again at this moment may be gone.
  const modes = await Promise.all(
    files.map(async (file) => ({ file, mode: (await lstat(file).catch(() => undefined))?.mode })),
  );
  const open = modes.filter(({ mode }) => mode !== undefined && (mode & 0o077) !== 0);
  expect(files.length).toBeGreaterThan(50);
  expect(open.map(({ file, mode }) => `${file} ${((mode ?? 0) & 0o777).toString(8)}`)).toEqual([]);
});
