import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { cookieName, deleteHostCookie, readHostCookie, setHostCookie } from '../../../api/http/cookies.ts';

const siteUrl = 'https://delivery.example.com';

async function readCookie(cookie: string): Promise<string> {
  const app = new Hono().get('/', (c) => c.text(readHostCookie(c, 'svc_session', siteUrl) ?? 'none'));
  const response = await app.onError((error, c) => c.text(error.message)).request('/', { headers: { cookie } });
  return await response.text();
}

describe('a cookie of one host', () => {
  it('has the prefix that only that host can set, except on http at this machine', () => {
    expect(cookieName('svc_session', siteUrl)).toBe('__Host-svc_session');
    expect(cookieName('svc_session', 'https://localhost:8443')).toBe('__Host-svc_session');
    expect(cookieName('svc_session', 'http://delivery.example.com')).toBe('__Host-svc_session');
    expect(cookieName('svc_session', 'http://localhost:8080')).toBe('svc_session');
  });

  it('is hidden from scripts and sent over TLS only', async () => {
    const app = new Hono()
      .get('/set', (c) => (setHostCookie(c, { name: 'svc_session', siteUrl, value: 'x', maxAgeMs: 1_000 }), c.text('')))
      .get('/delete', (c) => (deleteHostCookie(c, 'svc_session', siteUrl), c.text('')));
    const read = async (path: string) => (await app.request(path)).headers.get('set-cookie');
    expect(await read('/set')).toBe('__Host-svc_session=x; Max-Age=1; Path=/; HttpOnly; Secure; SameSite=Lax');
    expect(await read('/delete')).toMatch(/^__Host-svc_session=; Max-Age=0; Path=\/; HttpOnly; Secure/);
  });

  it('is read only if it is the only one of its name', async () => {
    expect(await readCookie('one=1; __Host-svc_session=mine')).toBe('mine');
    expect(await readCookie('svc_session=planted; __Host-svc_session=mine')).toBe('mine');
    expect(await readCookie('svc_session=planted')).toBe('none');
    expect(await readCookie('__Host-svc_session= mine ; one=1')).toBe('mine');
    expect(await readCookie('one=1;\t __Host-svc_session \t=mine')).toBe('mine');
    expect(await readCookie('__Host-svc_session=planted; __Host-svc_session=mine')).toContain('has 2 cookies named');
  });

  it('is not read under a name that browsers do not recognize as the prefix', async () => {
    expect(await readCookie('\u00a0__Host-svc_session=planted')).toBe('none');
    expect(await readCookie('__host-svc_session=planted')).toBe('none');
    expect(await readCookie('x__Host-svc_session=planted')).toBe('none');
  });
});
