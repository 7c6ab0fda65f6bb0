import { gunzipSync, brotliDecompressSync } from 'node:zlib';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { ApiEnv } from '../../../api/deps.ts';
import { represent } from '../../../api/http/represent.ts';
import { startApi } from '../../support/start-api.ts';

const text = 'What a long text. '.repeat(200);
const app = new Hono<ApiEnv>()
  .use(represent({ publicUrl: 'http://localhost' }))
  .get('/text', (c) => c.text(text, 200, { ETag: '"7"' }))
  .get('/video', (c) =>
    c.body('0123456789', 200, { 'Content-Type': 'video/mp4', 'Accept-Ranges': 'bytes', ETag: '"7"' }),
  )
  .post('/text', (c) => c.text(text, 201, { ETag: '"7"' }))
  .get('/other', (c) => c.text(text.toUpperCase(), 200, { ETag: '"7"' }))
  .get('/letters/:count', (c) => c.text('x'.repeat(Number(c.req.param('count')))))
  .get('/events', (c) => c.body(text, 200, { 'Content-Type': 'text/event-stream' }))
  .get('/encoded', (c) => c.body(text, 200, { 'Content-Type': 'text/plain', 'Content-Encoding': 'zstd' }))
  .get('/untyped', () => new Response(new TextEncoder().encode(text)))
  .get('/missing', (c) => c.text(text, 404))
  .post('/events', (c) => c.text(text));
const get = async (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  await app.request(path, { method, headers });

describe('a text', () => {
  it('has an ETag of the bytes, which names the version of the resource', async () => {
    const tags = await Promise.all(
      ['/text', '/text', '/other'].map(async (path) => (await get(path)).headers.get('ETag')),
    );
    expect(tags[0]).toMatch(/^"7\.[\w-]{22}"$/);
    expect(tags[1]).toBe(tags[0]);
    expect(tags[2]).not.toBe(tags[0]);
    expect((await get('/text', {}, 'POST')).headers.get('ETag')).toBe(tags[0]);
  });

  it('304: is not sent again to a caller who has these bytes', async () => {
    const tag = (await get('/text')).headers.get('ETag') ?? '';
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*', tag.replace(/"$/, ':gzip"')]) {
      const response = await get('/text', { 'If-None-Match': known });
      expect([response.status, await response.text(), response.headers.get('ETag')]).toEqual([304, '', tag]);
      expect(response.headers.get('Vary')).toBe('Accept, Accept-Encoding');
      expect(response.headers.has('Content-Type')).toBe(false);
    }
    for (const unknown of ['"7"', '"7.x"']) expect((await get('/text', { 'If-None-Match': unknown })).status).toBe(200);
    expect((await get('/other', { 'If-None-Match': tag })).status).toBe(200);
  });

  it('is compressed as the caller accepts, with an ETag of its own', async () => {
    const zipped = await get('/text', { 'Accept-Encoding': 'gzip' });
    expect(zipped.headers.get('Content-Encoding')).toBe('gzip');
    expect(zipped.headers.get('ETag')).toMatch(/:gzip"$/);
    expect(gunzipSync(await zipped.arrayBuffer()).toString()).toBe(text);
    const brotli = await get('/text', { 'Accept-Encoding': 'gzip, br' });
    expect(brotliDecompressSync(await brotli.arrayBuffer()).toString()).toBe(text);
    expect((await get('/text', { 'Accept-Encoding': 'gzip;q=0' })).headers.has('Content-Encoding')).toBe(false);
    expect((await get('/video', { 'Accept-Encoding': 'gzip' })).headers.has('Content-Encoding')).toBe(false);
  });

  it('is compressed from the size on at which that saves a packet', async () => {
    const encodings = ['/letters/1399', '/letters/1400'].map(async (path) => {
      const { headers } = await get(path, { 'Accept-Encoding': 'gzip' });
      return [headers.get('Content-Encoding'), headers.get('ETag')];
    });
    expect(await Promise.all(encodings)).toEqual([
      [null, expect.stringMatching(/^"[\w-]{22}"$/)],
      ['gzip', expect.stringMatching(/^"[\w-]{22}:gzip"$/)],
    ]);
  });

  it.each([
    ['GET', '/events', 'text/event-stream'],
    ['GET', '/encoded', 'text/plain'],
    ['GET', '/untyped', null],
    ['GET', '/missing', 'text/plain; charset=UTF-8'],
    ['POST', '/events', 'text/plain;charset=UTF-8'],
  ])('is left as it is if it is not the whole representation: %s %s', async (method, path, type) => {
    const { headers } = await get(path, { 'Accept-Encoding': 'gzip', Range: 'bytes=0-1' }, method);
    const described = ['Content-Type', 'ETag', 'Content-Length', 'Vary'].map((name) => headers.get(name));
    expect(described).toEqual([type, null, null, null]);
  });

  it('200: is sent whole to a caller who asks for a part', async () => {
    const response = await get('/text', { Range: 'bytes=0-1' });
    expect([response.status, response.headers.get('Content-Length')]).toEqual([200, String(text.length)]);
  });

  it('tells its length to HEAD', async () => {
    const response = await get('/text', {}, 'HEAD');
    expect([response.headers.get('Content-Length'), await response.text()]).toEqual([String(text.length), '']);
  });
});

describe('a file', () => {
  const read = async (headers: Record<string, string>): Promise<[number, string, string | null]> => {
    const response = await get('/video', headers);
    return [response.status, await response.text(), response.headers.get('Content-Range')];
  };

  it.each([
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
  ])('206: sends the range %s', async (range, part, position) => {
    expect(await read({ Range: range })).toEqual([206, part, position]);
  });

  it.each(['bytes=1-2,5-6', 'lines=1-2', 'bytes=x'])('200: sends all bytes for the range %s', async (range) => {
    expect(await read({ Range: range })).toEqual([200, '0123456789', null]);
  });

  it('416: rejects a range outside of the file', async () => {
    const response = await get('/video', { Range: 'bytes=10-' });
    expect([response.status, response.headers.get('Content-Range')]).toEqual([416, 'bytes */10']);
    expect(await response.json()).toMatchObject({ reason: 'range-not-satisfiable' });
  });

  it('200: sends all bytes if the file is not the one of If-Range', async () => {
    const tag = (await get('/video')).headers.get('ETag') ?? '';
    expect((await read({ Range: 'bytes=2-4', 'If-Range': tag }))[0]).toBe(206);
    expect((await read({ Range: 'bytes=2-4', 'If-Range': '"other"' }))[0]).toBe(200);
    expect((await read({ Range: 'bytes=2-4', 'If-Range': `W/${tag}` }))[0]).toBe(200);
  });
});

it('304: a cached list and the reference are revalidated too', async () => {
  const { request } = await startApi({ role: 'org-admin' });
  for (const path of ['/v1/orgs/acme/agentroles', '/v1/orgs/acme/agentroles', '/v1/orgs/acme', '/openapi.json']) {
    const tag = (await request(path)).headers.get('ETag') ?? '';
    expect(`${path} ${(await request(path, { headers: { 'If-None-Match': tag } })).status}`).toBe(`${path} 304`);
  }
});

it('gives the views of two roles different ETags', async () => {
  const { request } = await startApi();
  const [admin, viewer] = await Promise.all(
    (['org-admin', 'viewer'] as const).map(async (role) =>
      (await request('/v1/orgs/acme', { role })).headers.get('ETag'),
    ),
  );
  expect(admin).not.toBe(viewer);
});
