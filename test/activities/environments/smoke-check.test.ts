import { expect, it } from 'vitest';
import { type SmokeCheckOutcome, checkUrl } from '../../../activities/environments/smoke-check.ts';
import { startCanary, startSite } from '../../support/servers/test-sites.ts';

const never = new AbortController().signal;
const check = async ({ url, path = '/' }: { url: string; path?: string }): Promise<SmokeCheckOutcome> =>
  await checkUrl({ url: `${url}${path}`, zoneUrls: [url], allowedInside: [], signal: never });

it('passes a successful response and returns its status and duration', async () => {
  const { url } = await startSite({ '/healthz': 'fine' });
  expect(await check({ url, path: '/healthz' })).toEqual({
    outcome: 'passed',
    message: 'the app responds',
    response: { url: `${url}/healthz`, status: 200, durationMs: expect.any(Number) },
  });
});

it('fails an error response and returns the start of its body as printable text', async () => {
  const { url } = await startSite({
    '/': (_, response) => response.writeHead(503).end(`No database.\u0000\u001b[2J\u202e\n${'x'.repeat(5_000)}`),
  });
  const { outcome, message, response } = await check({ url });
  expect({ outcome, message }).toEqual({ outcome: 'failed', message: `${url}/ responded with status 503.` });
  expect(response).toMatchObject({ status: 503, response: expect.stringMatching(/^No database\.��\[2J�\nx+$/) });
  expect(Buffer.byteLength(response.response ?? '')).toBeLessThan(520);
});

it('does not wait for the end of an endless response', async () => {
  const { url } = await startSite({
    '/': (_, response) => {
      response.writeHead(500);
      response.write('y'.repeat(2_000));
    },
  });
  // A check that waits ends at its time limit, without a status.
  expect(await check({ url })).toMatchObject({
    outcome: 'failed',
    message: `${url}/ responded with status 500.`,
    response: { status: 500 },
  });
});

it('fails a refused connection with the reason', async () => {
  const { url } = await startSite({});
  const closed = url.replace('hello-rc', 'gone').replace(/\d+$/, '1');
  expect(await check({ url: closed })).toMatchObject({
    outcome: 'failed',
    message: expect.stringMatching(/did not respond: .*ECONNREFUSED/),
    response: { url: `${closed}/` },
  });
});

it('follows redirects on the same host and checks the final response', async () => {
  const to = (location: string) => (_: unknown, response: import('node:http').ServerResponse) =>
    void response.writeHead(302, { location }).end();
  const { url } = await startSite({
    '/': to('/home'),
    '/home': to('/start'),
    '/broken': to('/missing'),
    '/start': 'Hello',
  });
  expect(await check({ url })).toMatchObject({ outcome: 'passed', response: { url: `${url}/start`, status: 200 } });
  expect(await check({ url, path: '/broken' })).toMatchObject({
    outcome: 'failed',
    message: `${url}/missing responded with status 404.`,
  });
});

it('fails a redirect loop', async () => {
  const { url } = await startSite({ '/': (_, response) => response.writeHead(302, { location: '/' }).end() });
  expect(await check({ url })).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining('redirects in a loop'),
  });
});

it('passes a redirect to another host without following it', async () => {
  const canary = await startCanary();
  for (const location of [canary.at('127.0.0.1'), canary.at('hello-rc.localhost'), 'http://169.254.169.254/']) {
    const { url } = await startSite({ '/': (_, response) => response.writeHead(302, { location }).end() });
    expect(await check({ url })).toMatchObject({ outcome: 'passed', response: { status: 302 } });
  }
  expect(canary.connections).toEqual([]);
});

it('passes a redirect to another scheme of the same host without following it', async () => {
  const { url } = await startSite({
    '/': ({ headers }, response) => void response.writeHead(302, { location: `ftp://${headers.host}/` }).end(),
  });
  expect(await check({ url })).toMatchObject({ outcome: 'passed', response: { status: 302 } });
});

it.each([
  ['200', 'passed'],
  ['399', 'passed'],
  ['400', 'failed'],
])('judges status %s as %s', async (status, outcome) => {
  const { url } = await startSite({ '/': (_, response) => void response.writeHead(Number(status)).end() });
  expect(await check({ url })).toMatchObject({ outcome, response: { status: Number(status) } });
});

it.each(['http://127.0.0.1', 'http://localhost', 'http://[::1]', 'http://0x7f.1', 'http://2130706433'])(
  'sends no request to another server on this machine: %s',
  async (host) => {
    const canary = await startCanary();
    const url = `${host}:${canary.port}/`;
    const outcome = await checkUrl({
      url,
      zoneUrls: ['http://hello-rc.localhost:1'],
      allowedInside: [],
      signal: never,
    });
    expect(outcome).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('has neither an address of the zone'),
    });
    expect(canary.connections).toEqual([]);
  },
);

it.each([
  [20, 'passed'],
  [21, 'failed'],
])('follows %i redirects: %s', async (count, outcome) => {
  const steps = Array.from({ length: count }, (_, index) => [
    `/${index}`,
    (_request: unknown, response: import('node:http').ServerResponse) =>
      void response.writeHead(302, { location: `/${index + 1}` }).end(),
  ]);
  const { url } = await startSite({ ...Object.fromEntries(steps), [`/${count}`]: 'Hello' });
  expect(await check({ url, path: '/0' })).toMatchObject({ outcome });
});
