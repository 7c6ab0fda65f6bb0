import { hash } from 'node:crypto';
import { type Attack, testAttacks } from './attacks.ts';
import { sendRequest, type World } from './world.ts';

const zoneAddress = ({ port }: World, zone = 'shop-rc'): string => `http://${zone}.localhost:${port + 1}`;
const browser = 'the cookie of the browser of the victim';

/** Asks for a login ticket of the zone in the browser in which vic is signed in. Returns the redirect. */
async function requestTicket(world: World, to: string, identity = browser): Promise<URL | undefined> {
  const query = new URLSearchParams({ zone: 'shop-rc', to, browser: hash('sha256', identity) });
  const response = await world.call(
    'GET',
    `/v1/auth/zone-sign-in?${query.toString()}`,
    world.asBrowser('vic', { accept: 'text/html' }),
  );
  return URL.parse(response.headers.get('location') ?? '') ?? undefined;
}

type Redeeming = { ticket: URL | undefined; zone?: string; cookie?: string };

/** Opens the link with a ticket, and returns the zone session that it starts. */
async function redeem(
  world: World,
  { ticket, zone = 'shop-rc', cookie = browser }: Redeeming,
): Promise<string | undefined> {
  const headers = { host: `${zone}.localhost:${world.port + 1}`, cookie: `svc_zone_browser=${cookie}` };
  const path = `${ticket?.pathname}${ticket?.search}`;
  const { headers: answered } = await sendRequest({ port: world.port + 1, path, headers });
  return [answered['set-cookie'] ?? []]
    .flat()
    .map((one) => one.split(';')[0])
    .find((one) => /svc_zone_session=svc_/.test(one ?? ''));
}

const enterZone = async (world: World): Promise<string> => {
  const ticket = await requestTicket(world, zoneAddress(world));
  return (await redeem(world, { ticket })) ?? '';
};

const opensZone = async ({ port }: World, { cookie = '', zone = 'shop-rc', headers = {} }): Promise<boolean> => {
  const host = `${zone}.localhost:${port + 1}`;
  return (await sendRequest({ port: port + 1, path: '/', headers: { host, cookie, ...headers } })).status === 200;
};

/** A link of our sign-in page that leads to another site. The counter-attack is a page that redirects to any URL. */
const redirect = (name: string, to: (zone: URL) => string): Attack => {
  const isElsewhere = (url: URL | undefined | null, world: World): boolean =>
    url !== undefined && url !== null && url.hostname !== new URL(zoneAddress(world)).hostname;
  return {
    name: `a sign-in link leads to ${name}`,
    attempt: async (world) => isElsewhere(await requestTicket(world, to(new URL(zoneAddress(world)))), world),
    counter: async (world) => isElsewhere(URL.parse(to(new URL(zoneAddress(world))), zoneAddress(world)), world),
  };
};

testAttacks('zone sign-in', [
  {
    name: 'a page of another site signs a browser in as mallory',
    attempt: async (world) => (await formSignIn(world, 'http://evil.example')) !== undefined,
    counter: async (world) => (await formSignIn(world, world.url)) !== undefined,
  },
  {
    name: 'a login ticket opens a zone twice',
    attempt: async (world) => {
      const ticket = await requestTicket(world, zoneAddress(world));
      return (await redeem(world, { ticket })) !== undefined && (await redeem(world, { ticket })) !== undefined;
    },
    counter: async (world) => (await enterZone(world)) !== '' && (await enterZone(world)) !== '',
  },
  {
    name: 'a login ticket opens another zone',
    attempt: async (world) =>
      (await redeem(world, { ticket: await requestTicket(world, zoneAddress(world)), zone: 'shop-prod' })) !==
      undefined,
    counter: async (world) => (await enterZone(world)) !== '',
  },
  {
    name: 'a login ticket of mallory opens in the browser of a victim',
    attempt: async (world) =>
      (await redeem(world, { ticket: await requestTicket(world, zoneAddress(world)), cookie: 'another' })) !==
      undefined,
    counter: async (world) =>
      (await redeem(world, {
        ticket: await requestTicket(world, zoneAddress(world), 'another'),
        cookie: 'another',
      })) !== undefined,
  },
  {
    name: 'a zone session opens the API',
    attempt: async (world) => {
      const cookie = (await enterZone(world)).replace('svc_zone_session', 'svc_session');
      return (await world.call('GET', '/v1/me', { headers: { cookie } })).ok;
    },
    counter: async (world) => (await world.call('GET', '/v1/me', world.asBrowser('vic'))).ok,
  },
  {
    name: 'a session of the API opens a zone',
    attempt: async (world) =>
      await opensZone(world, { cookie: world.credentials.vic.cookie.replace('svc_session', 'svc_zone_session') }),
    counter: async (world) => await opensZone(world, { cookie: await enterZone(world) }),
  },
  {
    name: 'a header names the visitor of a zone',
    attempt: async (world) =>
      await opensZone(world, { headers: { 'x-service-user': 'root', 'x-forwarded-user': 'root' } }),
    counter: async (world) => await opensZone(world, { cookie: await enterZone(world) }),
  },
  {
    name: 'a path below that of the service leads to the API on the host of a zone',
    attempt: async ({ port }) => (await getOnZone(port, '/.service/../livez')).body === 'ok',
    counter: async ({ port }) =>
      (await sendRequest({ port, path: '/.service/../livez', headers: { host: `localhost:${port}` } })).body === 'ok',
  },
  redirect('another site', () => 'http://evil.example/'),
  redirect('a host that begins like the zone', ({ hostname, port }) => `http://${hostname}.evil.example:${port}/`),
  redirect('a host after the name of a user', (zone) => `http://${zone.host}@evil.example/`),
  redirect('a host after a backslash', (zone) => `http:\\\\evil.example\\@${zone.host}/`),
  redirect('a host that a tab hides', () => 'http://evil\t.example/'),
  redirect('another scheme', () => 'https:evil.example'),
  redirect('a zone of mallory', ({ port }) => `http://app-rc.localhost:${port}/`),
]);

const getOnZone = async (port: number, path: string) =>
  await sendRequest({ port: port + 1, path, headers: { host: `shop-rc.localhost:${port + 1}` } });

/** Posts the form of the sign-in page of a zone, as a page of the origin would. Returns the session that it starts. */
async function formSignIn(world: World, origin: string): Promise<string | undefined> {
  const { email, password } = world.credentials.vic;
  const query = new URLSearchParams({ zone: 'shop-rc', to: zoneAddress(world), browser: hash('sha256', browser) });
  const response = await world.call('POST', `/v1/auth/zone-sign-in?${query.toString()}`, {
    body: new URLSearchParams({ email, password }).toString(),
    headers: { origin, 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '203.0.113.9' },
  });
  return response.headers.getSetCookie().find((cookie) => cookie.startsWith('svc_session=svc_'));
}
