import { Agent } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { fetchWithTimeout } from '../../../src/integrations/network/fetch-with-timeout.ts';
import { startBomb } from '../../support/servers/start-bomb.ts';
import { startSite } from '../../support/servers/test-sites.ts';

const limits = { timeoutMs: 60_000, bytesMax: 10 };

it('returns a response of exactly the limit with its status and headers', async () => {
  const { port } = await startSite({
    '/': (_request, response) => void response.writeHead(201, { 'x-kind': 'model' }).end('0123456789'),
  });
  const response = await fetchWithTimeout(limits)(`http://127.0.0.1:${port}/`);
  expect([response.status, response.headers.get('x-kind')]).toEqual([201, 'model']);
  expect(await response.text()).toBe('0123456789');
});

it('aborts a response that exceeds the limit in several parts', async () => {
  const { port } = await startSite({
    '/': (_request, response) => {
      response.write('012345');
      response.end('67890');
    },
  });
  const response = await fetchWithTimeout(limits)(`http://127.0.0.1:${port}/`);
  await expect(response.text()).rejects.toThrow('The response exceeds 10 bytes.');
});

it('cuts a compressed bomb at the limit of decoded bytes, with constant memory', async () => {
  const bomb = await startBomb();
  const bytesMax = 1024 * 1024;
  const before = process.memoryUsage().rss;
  const response = await fetchWithTimeout({ ...limits, bytesMax })(bomb.url);
  await expect(response.text()).rejects.toThrow(`The response exceeds ${bytesMax} bytes.`);
  await bomb.cut;
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * bytesMax);
});

it('returns a response without a body', async () => {
  const { port } = await startSite({ '/': (_request, response) => void response.writeHead(204).end() });
  const response = await fetchWithTimeout(limits)(`http://127.0.0.1:${port}/`);
  expect([response.status, response.body]).toEqual([204, null]);
});

it.each([
  ['headers', 'fetch failed'],
  ['body', 'terminated'],
])('aborts when the %s do not arrive in time', async (part, message) => {
  const { port } = await startSite({
    '/': (_request, response) => {
      if (part === 'body') response.write('0');
    },
  });
  const dispatcher = new Agent();
  onTestFinished(async () => await dispatcher.destroy());
  const ask = async () =>
    await (await fetchWithTimeout({ ...limits, timeoutMs: 50, dispatcher })(`http://127.0.0.1:${port}/`)).text();
  await expect(ask()).rejects.toThrow(message);
});
