import assert from 'node:assert/strict';
import { request } from 'node:http';

type RequestOptions = {
  cookie?: string;
  html?: boolean;
  form?: Record<string, string>;
  headers?: Record<string, string>;
};
type PageResponse = { status: number; text: string; location: string | undefined; cookie: string | undefined };

/** Sends one request as a browser would: every host resolves to this machine. Redirects are not followed. */
export async function sendPageRequest(
  address: string,
  { cookie, html = false, form, headers = {} }: RequestOptions = {},
): Promise<PageResponse> {
  const { host, port, pathname, search } = new URL(address);
  return await new Promise((resolve, reject) => {
    const outgoing = request({
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
    outgoing.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        // A response that forgets a cookie sets the new one after it.
        const set = response.headers['set-cookie']?.at(-1);
        resolve({
          status: response.statusCode ?? 0,
          text,
          location: response.headers.location,
          cookie: set?.split(';')[0],
        });
      });
    });
    outgoing.end(form && new URLSearchParams(form).toString());
  });
}

/** Follows the redirects of a browser without a session: the gate, the service, the zone's own host, the sign-in page. */
export async function openSignInPage(address: string): Promise<{ page: string; browser: string }> {
  const redirect = await sendPageRequest(address, { html: true });
  assert.equal(redirect.status, 302);
  assert.match(redirect.location ?? '', /\/api\/v1\/auth\/zone-sign-in\?/);
  const { location: identification = '' } = await sendPageRequest(redirect.location ?? '', { html: true });
  assert.match(identification, /\/\.service\/sign-in\?zone=/);
  const { location: page = '', cookie: browser = '' } = await sendPageRequest(identification, { html: true });
  return { page, browser };
}
