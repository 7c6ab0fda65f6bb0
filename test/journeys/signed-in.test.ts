import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Api } from '../../src/clients/http.ts';
import { createAcme, pushRepo, until, zoneIs } from '../support/acme.ts';
import { TestPlatform, root } from '../support/platform.ts';

let platform: TestPlatform;
let api: Api;
beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.asRoot();
  await createAcme(api);
}, 60_000);
afterAll(async () => await platform.remove());

type Asked = { cookie?: string; html?: boolean; form?: Record<string, string>; headers?: Record<string, string> };
type Answered = { status: number; text: string; location: string | undefined; cookie: string | undefined };

/** One request as a browser makes it: `*.localhost` is this machine, and no redirect is followed. */
async function ask(address: string, { cookie, html = false, form, headers = {} }: Asked = {}): Promise<Answered> {
  const { host, port, pathname, search } = new URL(address);
  return await new Promise((resolve, reject) => {
    const asking = request({
      host: '127.0.0.1',
      port,
      path: pathname + search,
      method: form ? 'POST' : 'GET',
      headers: {
        host,
        ...(html ? { accept: 'text/html' } : {}),
        ...(cookie ? { cookie } : {}),
        ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
        ...headers,
      },
    });
    asking.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const [set] = response.headers['set-cookie'] ?? [];
        resolve({
          status: response.statusCode ?? 0,
          text,
          location: response.headers.location,
          cookie: set?.split(';')[0],
        });
      });
    });
    asking.end(form && new URLSearchParams(form).toString());
  });
}

const app = {
  'app.js': `export const app = (request, response) => response.end(JSON.stringify(request.headers));\n`,
};

async function deliver(name: string, access: string): Promise<{ address: string; release: string }> {
  await pushRepo(platform, { fullName: `acme/${name}`, files: { ...app, 'server.js': server } });
  const zones = [{ name: `${name}-rc`, arrival: 'automatic', access }];
  await api.post('/v1/orgs/acme/products', { name, spec: { repos: [`acme/${name}`], delivery: { zones } } });
  const { name: release } = await api.post<{ name: string }>('/v1/orgs/acme/releases', { product: name });
  await zoneIs(api, release, { zone: `${name}-rc`, phase: 'Verified' });
  return { address: platform.address(`${name}-rc`), release };
}

/** An app that shows what it was sent. */
const server = `import { createServer } from 'node:http';
createServer((request, response) => response.end(JSON.stringify(request.headers))).listen(process.env.PORT, '127.0.0.1');
`;

async function signIn(
  address: string,
  form: Record<string, string>,
): Promise<{ session: string; visit: string; to: string }> {
  const sent = await ask(address, { html: true });
  expect(sent).toMatchObject({ status: 302, location: expect.stringContaining('/api/v1/auth/zone-pass?') });
  const page = sent.location ?? '';
  expect(await ask(page, { html: true })).toMatchObject({ status: 200, text: expect.stringContaining('Sign in') });
  const passed = await ask(page, { form });
  expect(passed).toMatchObject({ status: 303, location: expect.stringContaining('/.service/visit?pass=') });
  const entered = await ask(passed.location ?? '');
  expect(entered.status).toBe(303);
  // A pass is good once.
  expect((await ask(passed.location ?? '')).status).toBe(401);
  return { session: passed.cookie ?? '', visit: entered.cookie ?? '', to: entered.location ?? '' };
}

it('opens to people signed in who can see its Product, and to nobody else', async () => {
  const { address } = await deliver('club', 'signed-in');
  expect((await ask(address)).status).toBe(401);
  expect((await ask(address, { cookie: 'svc_visit=svc_made-up', headers: { 'x-service-user': 'root' } })).status).toBe(
    401,
  );
  expect((await ask(`${address}/.service/visit?pass=made-up&to=/`)).status).toBe(401);

  const { session, visit, to } = await signIn(`${address}/page?one=1`, root);
  expect(to).toBe('/page?one=1');
  const shown = await ask(address, { cookie: `own=kept; ${visit}` });
  expect(shown.status).toBe(200);
  expect(JSON.parse(shown.text)).toMatchObject({ cookie: 'own=kept' });
  expect(shown.text).not.toContain('svc_visit');

  // What opens one zone opens no other, and nothing of the service.
  const { address: other } = await deliver('den', 'signed-in');
  expect((await ask(other, { cookie: visit })).status).toBe(401);
  expect((await ask(`${platform.url}/api/v1/me`, { cookie: visit.replace('svc_visit', 'svc_session') })).status).toBe(
    401,
  );
  const elsewhere = `${platform.url}/api/v1/auth/zone-pass?zone=club-rc&to=${encodeURIComponent('http://evil.example/')}`;
  expect((await ask(elsewhere, { cookie: session })).status).toBe(422);

  await ask(`${platform.url}/api/v1/auth/sign-out`, { cookie: session, form: {}, headers: { origin: platform.url } });
  expect((await ask(address, { cookie: visit })).status).toBe(401);
});

it('does not open to somebody signed in who cannot see the Product', async () => {
  const { address } = await deliver('cellar', 'signed-in');
  const stranger = { email: 'stranger@example.com', password: 'a long enough password' };
  await api.post('/v1/access/users', stranger);
  const { location = '' } = await ask(address, { html: true });
  expect((await ask(location, { form: { ...stranger, password: 'wrong' } })).text).toContain(
    'no user with that e-mail',
  );
  expect((await ask(location, { form: stranger })).status).toBe(403);
});

it('without an address answers nobody from outside, and is verified all the same', async () => {
  const { address, release } = await deliver('vault', 'none');
  expect((await ask(address)).status).toBe(404);
  const settings = await api.get<{ spec: { delivery: { zones: object[] } }; generation: number }>(
    '/v1/orgs/acme/products/vault',
  );
  const zones = settings.spec.delivery.zones.map((zone) => ({ ...zone, access: 'public', replicas: 2 }));
  await api.put('/v1/orgs/acme/products/vault', {
    spec: { ...settings.spec, delivery: { zones } },
    generation: settings.generation,
  });
  await until(
    async () => await ask(address),
    ({ status }) => status === 200,
  );
  const zone = await api.get<{ status: { release: string; settings: { phase: string } } }>(
    '/v1/orgs/acme/products/vault/zones/vault-rc',
  );
  expect(zone.status).toMatchObject({ release });
});
