import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ServiceOctokit } from '../../../src/integrations/codehost/octokit-client.ts';
import { pullOperations } from '../../../src/integrations/codehost/octokit-pulls.ts';
import { retryOptions, toThrottleOptions } from '../../../src/integrations/codehost/octokit-rate-limits.ts';
import { toFailure } from '../../../activities/to-failure.ts';
import { startScriptedCodehost } from './scripted-codehost.ts';

const created = { status: 201, body: {} };
const issues = 'POST /repos/acme/shop/issues';

const connect = (baseUrl: string, appId: string) =>
  new ServiceOctokit({ baseUrl, retry: retryOptions, throttle: toThrottleOptions(appId, { enabled: true }) });
const inSeconds = (seconds: number): string => String(Math.ceil(Date.now() / 1000) + seconds);

it.each([
  ['the reset', 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(1800) }, '', 1_800_000],
  ['an hour', 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(18_000) }, '', 3_600_000],
  ['the given time', 429, { 'retry-after': '120' }, '', 120_000],
  ['the given time', 403, { 'retry-after': '90', 'x-ratelimit-remaining': '12' }, '', 90_000],
  ['a minute', 403, {}, 'You have exceeded a secondary rate limit.', 60_000],
  ['a minute', 429, {}, 'Slow down', 60_000],
])('leaves a wait until %s (%i, %o) to the caller', async (_until, status, headers, message, waitMs) => {
  const route = 'GET /repos/acme/shop';
  const { url, requests } = await startScriptedCodehost({ [route]: { status, headers, body: { message } } });
  const error: unknown = await connect(url, 'long').request(route).catch(toFailure);
  expect(error).toMatchObject({ type: 'too-many-requests', nonRetryable: false });
  const { nextRetryDelay } = error as { nextRetryDelay: number };
  expect(Math.abs(nextRetryDelay - waitMs)).toBeLessThan(60_000);
  expect(requests).toHaveLength(1);
});

it('repeats a request over the rate limit after a short wait, and at most twice', async () => {
  const route = 'GET /repos/acme/shop';
  const limited = { status: 429, headers: { 'retry-after': '1', 'x-ratelimit-remaining': '0' }, body: { message: '' } };
  const { url, requests } = await startScriptedCodehost({ [route]: [limited, limited, { body: {} }] });
  expect(await connect(url, 'short').request(route)).toMatchObject({ status: 200 });
  expect(requests).toHaveLength(3);
});

it('does not mistake a denial for a rate limit, nor a rate limit for a refused update of a pull request', async () => {
  const update = 'PUT /repos/acme/shop/pulls/7/update-branch';
  const denied = {
    status: 403,
    headers: { 'x-ratelimit-remaining': '12' },
    body: { message: 'Resource not accessible' },
  };
  const limited = {
    status: 403,
    headers: { 'x-ratelimit-remaining': '0' },
    body: { message: 'API rate limit exceeded' },
  };
  const { client } = await startScriptedCodehost({ [issues]: denied, [update]: limited });
  await expect(client.request(issues)).rejects.toMatchObject({ name: 'HttpError', status: 403 });
  const change = pullOperations(client).updatePullRequestBranch('acme/shop', { number: 7, headSha: 'a'.repeat(40) });
  await expect(change).rejects.toMatchObject({ reason: 'too-many-requests' });
});

it('queues the writes of one application only', async () => {
  const { url, requests } = await startScriptedCodehost({ [issues]: created });
  const create = async (appId: string, title: string): Promise<unknown> =>
    await connect(url, appId).request(issues, { title });
  await Promise.all([create('one', 'first'), create('one', 'second'), create('two', 'third')]);
  expect(requests.at(-1)).toMatchObject({ body: { title: 'second' } });
});

it('never sends a write that has waited for most of the time of an activity', async () => {
  const { url, requests } = await startScriptedCodehost({ [issues]: created });
  const client = connect(url, 'late');
  let sending = 0;
  const send = globalThis.fetch;
  vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
    sending += 1;
    return await send(...request).finally(() => (sending -= 1));
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers().unstubAllGlobals());
  const startedAt = Date.now();
  const refusals: unknown[] = [];
  for (let index = 0; index < 20; index += 1)
    void client.request(issues).catch((error: unknown) => refusals.push({ error, afterMs: Date.now() - startedAt }));
  for (let seconds = 0; seconds < 100; seconds += 1) {
    await vi.advanceTimersByTimeAsync(1_000);
    // The clock stands still while a request is on its way, however slow the machine is.
    do await sleep(20);
    while (sending > 0);
  }
  // One issue is created every three seconds.
  expect(requests.length).toBeGreaterThan(10);
  expect(requests.length).toBeLessThan(15);
  const refusal = { error: expect.objectContaining({ reason: 'too-many-requests' }), afterMs: 40_000 };
  expect(refusals).toEqual(Array.from({ length: 20 - requests.length }, () => refusal));
});
