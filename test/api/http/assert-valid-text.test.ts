import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sessionCookie } from '../../../api/auth/authenticate.ts';
import { startApi } from '../../support/start-api.ts';

async function postLabel(body: string | Buffer, contentType = 'application/json', coding = 'identity') {
  const { app, tokenFor } = await startApi();
  const headers = {
    Cookie: `${sessionCookie}=${await tokenFor('viewer', 'session')}`,
    'Content-Type': contentType,
    'Content-Encoding': coding,
  };
  const response = await app.request('/api/v1/me/tokens', {
    method: 'POST',
    headers,
    body: new Uint8Array(Buffer.from(body)),
  });
  return { status: response.status, ...((await response.json()) as { label?: string; detail?: string }) };
}

describe('a JSON body', () => {
  it.each([
    ['{"label":"\\ud800"}', '"label" contains NUL or an unpaired surrogate'],
    ['{"label":"a\\u0000b"}', 'NUL'],
    ['{"l\\u0000":"a"}', 'NUL'],
    [Buffer.from([...Buffer.from('{"label":"a'), 0xff, ...Buffer.from('"}')]), 'UTF-8'],
  ])('422: is rejected instead of changed: %s', async (body, cause) => {
    for (const contentType of ['application/json', 'Application/JSON'])
      expect(await postLabel(body, contentType)).toMatchObject({
        status: 422,
        detail: expect.stringContaining(cause) as string,
      });
  });

  it('422: is rejected however deeply it is nested, also by an operation for strangers', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const nest = (text: string): string => `{"email":${'['.repeat(7_000)}${text}${']'.repeat(7_000)}}`;
    for (const [text, cause] of [
      ['"\\u0041"', '/email'],
      ['"\\u0000"', 'contains NUL'],
      ['"\\ud83d\\ude80"', '/email'],
    ] as const) {
      const response = await request('/v1/auth/sign-in', { method: 'POST', body: nest(text) });
      const { detail } = (await response.json()) as { detail: string };
      expect([response.status, detail]).toEqual([422, expect.stringContaining(cause)]);
    }
  });

  it('415: is rejected in another encoding', async () => {
    const { status, detail } = await postLabel('{"label":"a"}', 'application/json; charset=utf-16');
    expect([status, detail]).toEqual([415, expect.stringContaining('UTF-8')]);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ])('415: is never unpacked from Content-Encoding %s, such as a bomb', async (coding, compress) => {
    const bomb = compress(Buffer.from(JSON.stringify({ label: 'x'.repeat(64 * 1024 * 1024) })));
    expect(bomb.length).toBeLessThan(100_000);
    const before = process.memoryUsage().rss;
    const { status, detail } = await postLabel(bomb, 'application/json', coding);
    expect([status, detail]).toEqual([415, expect.stringContaining('without Content-Encoding')]);
    expect(process.memoryUsage().rss - before).toBeLessThan(48 * 1024 * 1024);
  });

  it.each(['{"label":"\\ud83d\\ude80"}', '{"label":"🚀"}', '\ufeff{"label":"🚀"}'])(
    '201: keeps every other text: %s',
    async (body) => {
      expect(await postLabel(body, 'application/json; charset=UTF-8')).toMatchObject({ status: 201, label: '🚀' });
    },
  );

  it('400: with a syntax error is explained by the validation', async () => {
    expect((await postLabel('{"label":"\\u0000"')).status).toBe(400);
  });
});
