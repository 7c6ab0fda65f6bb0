import { describe, expect, it } from 'vitest';
import type { UiFiles } from '../../../api/ui/ui-files.ts';
import { startApi } from '../../support/start-api.ts';

const toFile = (text: string, type: string) => ({ body: new TextEncoder().encode(text), type });
const ui: UiFiles = new Map([
  [
    '/index.html',
    toFile('<!doctype html><title>UI</title><script src="/assets/main-abc123.js"></script>', 'text/html'),
  ],
  ['/assets/main-abc123.js', toFile(`console.log('${'x'.repeat(3_000)}')`, 'text/javascript; charset=utf-8')],
]);
const browser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('the web UI', () => {
  it.each(['/', '/acme', '/acme/changes/change-shop-7', '/signin', '/api/docs'])(
    'answers %s with its start page',
    async (path) => {
      const { app } = await startApi({ ui });
      const response = await app.request(path, { headers: browser });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain('<title>UI</title>');
      expect(response.headers.get('Cache-Control')).toBe('no-cache');
      const policy = response.headers.get('Content-Security-Policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).not.toContain('unsafe');
      expect(policy.split('; ')).toContain("connect-src 'self'");
    },
  );

  it('leaves the reference without a script to other clients, and to /api/docs/all', async () => {
    const { app } = await startApi({ ui });
    for (const [path, headers] of [
      ['/api/docs', {}],
      ['/api/docs/all', browser],
    ] as const)
      expect(await (await app.request(path, { headers })).text()).toContain('<article id="listRuns"');
  });

  it('lets browsers keep hashed files for ever, compressed, and answers 304 for known bytes', async () => {
    const { app } = await startApi({ ui });
    const response = await app.request('/assets/main-abc123.js', { headers: { 'Accept-Encoding': 'br' } });
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('Content-Encoding')).toBe('br');
    expect((await response.arrayBuffer()).byteLength).toBeLessThan(1_000);
    const page = await app.request('/');
    const again = await app.request('/', { headers: { 'If-None-Match': page.headers.get('ETag') ?? '' } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it.each([
    ['/api/v1/nothing', browser],
    ['/assets/main-of-an-older-build.js', browser],
    ['/.service/nothing', browser],
    ['/nowhere', { Accept: 'application/json' }],
    ['/nowhere', {}],
  ])('is not what an unknown path of the service leads to: %s %j', async (path, headers) => {
    const { app } = await startApi({ ui });
    const response = await app.request(path, { headers });
    expect(response.status).toBe(404);
    expect(response.headers.get('Content-Type')).toBe('application/problem+json');
  });

  it('is named in the stream that its pages follow, so that a page of an earlier build can offer a reload', async () => {
    const { request } = await startApi({ ui, role: 'member' });
    const { headers, body } = await request('/v1/me/stream?topics=waiting');
    await body?.cancel();
    expect(headers.get('X-UI-Build')).toBe('assets/main-abc123.js');
  });

  it('503: says that it is not built, and the API works', async () => {
    const { app, request } = await startApi();
    const response = await app.request('/', { headers: browser });
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('The web UI is not built');
    expect((await request('/v1/me')).status).toBe(200);
  });
});
