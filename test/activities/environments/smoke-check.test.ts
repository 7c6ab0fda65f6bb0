import { expect, it } from 'vitest';
import { type CheckOutcome, checkOnce } from '../../../activities/environments/smoke-check.ts';
import { aCanary, aSite } from '../../support/hostile-site.ts';

const never = new AbortController().signal;
const check = async ({ url, path = '/' }: { url: string; path?: string }): Promise<CheckOutcome> =>
  await checkOnce({ url: `${url}${path}`, own: [url], signal: never });

it('passes an app that answers, with its status and how long it took', async () => {
  const { url } = await aSite({ '/healthz': 'fine' });
  expect(await check({ url, path: '/healthz' })).toEqual({
    outcome: 'passed',
    why: 'it answers',
    answer: { url: `${url}/healthz`, status: 200, tookMs: expect.any(Number) },
  });
});

it('fails one that answers badly, with the beginning of what it says as a text that can be shown', async () => {
  const { url } = await aSite({
    '/': (_, response) => response.writeHead(503).end(`No database.\u0000\u001b[2J\u202e\n${'x'.repeat(5_000)}`),
  });
  const { outcome, why, answer } = await check({ url });
  expect({ outcome, why }).toEqual({ outcome: 'failed', why: `${url}/ answered 503.` });
  expect(answer).toMatchObject({ status: 503, answer: expect.stringMatching(/^No database\.��\[2J�\nx+$/) });
  expect(Buffer.byteLength(answer.answer ?? '')).toBeLessThan(520);
});

it('does not wait for the end of an answer that has none', async () => {
  const { url } = await aSite({
    '/': (_, response) => {
      response.writeHead(500);
      response.write('y'.repeat(2_000));
    },
  });
  const startedAt = performance.now();
  expect(await check({ url })).toMatchObject({ outcome: 'failed', answer: { status: 500 } });
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

it('fails one that is not there, and says why', async () => {
  const { url } = await aSite({});
  const gone = url.replace('hello-rc', 'gone').replace(/\d+$/, '1');
  expect(await check({ url: gone })).toMatchObject({
    outcome: 'failed',
    why: expect.stringMatching(/did not answer: .*ECONNREFUSED/),
    answer: { url: `${gone}/` },
  });
});

it('follows an app to where it really answers on its own host, and judges that', async () => {
  const to = (location: string) => (_: unknown, response: import('node:http').ServerResponse) =>
    void response.writeHead(302, { location }).end();
  const { url } = await aSite({
    '/': to('/home'),
    '/home': to('/start'),
    '/broken': to('/missing'),
    '/start': 'Hello',
  });
  expect(await check({ url })).toMatchObject({ outcome: 'passed', answer: { url: `${url}/start`, status: 200 } });
  expect(await check({ url, path: '/broken' })).toMatchObject({
    outcome: 'failed',
    why: `${url}/missing answered 404.`,
  });
});

it('fails one that goes in circles', async () => {
  const { url } = await aSite({ '/': (_, response) => response.writeHead(302, { location: '/' }).end() });
  expect(await check({ url })).toMatchObject({ outcome: 'failed', why: expect.stringContaining('in circles') });
});

it('passes one that leads to another host, and does not go there', async () => {
  const canary = await aCanary();
  for (const location of [canary.at('127.0.0.1'), canary.at('hello-rc.localhost'), 'http://169.254.169.254/']) {
    const { url } = await aSite({ '/': (_, response) => response.writeHead(302, { location }).end() });
    expect(await check({ url })).toMatchObject({ outcome: 'passed', answer: { status: 302 } });
  }
  expect(canary.heard).toEqual([]);
});

it.each(['http://127.0.0.1', 'http://localhost', 'http://[::1]', 'http://0x7f.1', 'http://2130706433'])(
  'asks nothing of this machine that is not the zone’s: %s',
  async (host) => {
    const canary = await aCanary();
    const url = `${host}:${canary.port}/`;
    const outcome = await checkOnce({ url, own: ['http://hello-rc.localhost:1'], signal: never });
    expect(outcome).toMatchObject({ outcome: 'failed', why: expect.stringContaining('neither the zone') });
    expect(canary.heard).toEqual([]);
  },
);
