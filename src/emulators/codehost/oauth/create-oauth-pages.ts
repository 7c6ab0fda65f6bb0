import { Hono } from 'hono';
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Host } from '../host.ts';
import { findPersonByPassword } from '../people.ts';
import type { OAuthClient } from '../tables.ts';
import { addAppForm } from './add-app-form.ts';
import { findOAuthClient, resolveRedirect } from './clients.ts';
import { exchangeToken } from './exchange-token.ts';
import { issueCode } from './tokens.ts';

/** The pages on which a person signs in and lets a program use the account, and the endpoint that issues its tokens. */
export function createOAuthPages(host: Host): Hono {
  const pages = new Hono();
  pages.get('/login/oauth/authorize', async (c) => await startAuthorization(host, c));
  pages.post('/login/oauth/authorize', async (c) => await authorize(host, c));
  pages.post('/login/oauth/access_token', async (c) => await exchangeToken(host, c));
  addAppForm(pages, host);
  return pages;
}

type Request = { client: OAuthClient; redirectUri: string; state: string | undefined };

/** Returns the request of a program, or the response to one that is wrong. */
function readRequest(host: Host, c: Context): Request | Response {
  const client = findOAuthClient(host, c.req.query('client_id') ?? '');
  if (!client) return c.text('Not Found', 404);
  const state = c.req.query('state');
  const redirectUri = resolveRedirect(client, c.req.query('redirect_uri'));
  if (redirectUri !== undefined) return { client, redirectUri, state };
  // GitHub redirects to the registered address, never to the one that the app does not list.
  const registered = resolveRedirect(client, undefined);
  if (registered === undefined) return c.text('Error: the app has no callback URL.', 404);
  return redirectBack(c, { client, redirectUri: registered, state }, { error: 'redirect_uri_mismatch' });
}

async function startAuthorization(host: Host, c: Context): Promise<Response> {
  const request = readRequest(host, c);
  return request instanceof Response ? request : await sendForm(c, request.client);
}

async function authorize(host: Host, c: Context): Promise<Response> {
  const request = readRequest(host, c);
  if (request instanceof Response) return request;
  const { login, password, decision } = await c.req.parseBody();
  if (decision === 'cancel') return redirectBack(c, request, { error: 'access_denied' });
  const account = findPersonByPassword(host, toText(login), toText(password));
  if (!account) return await sendForm(c, request.client, 'Incorrect username or password.');
  const method = c.req.query('code_challenge_method');
  const codeChallenge = c.req.query('code_challenge');
  if (codeChallenge !== undefined && method !== 'S256')
    return c.text('Error: code_challenge_method must be S256.', 400);
  const { client, redirectUri } = request;
  const scope = (c.req.query('scope') ?? '').split(/[\s,]+/).join(',');
  const code = issueCode(host, { client, account, redirectUri, scope, codeChallenge });
  return redirectBack(c, request, { code });
}

const toText = (field: unknown): string => (typeof field === 'string' ? field : '');

function redirectBack(c: Context, { redirectUri, state }: Request, answer: Record<string, string>): Response {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) url.searchParams.set(name, value);
  if (state !== undefined) url.searchParams.set('state', state);
  return c.redirect(url.href, 302);
}

/** The form asks for the password each time, so no other page can submit it for the person. */
async function sendForm(c: Context, { name }: OAuthClient, error?: string): Promise<Response> {
  c.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  c.header('Cache-Control', 'no-store');
  return c.html(
    await html`<!doctype html>
      <html lang="en">
        <meta charset="utf-8" />
        <title>Authorize ${name}</title>
        <h1>Authorize ${name}</h1>
        <p>${name} wants to read your profile, e-mail addresses, organizations and teams.</p>
        ${error === undefined ? '' : html`<p role="alert">${error}</p>`}
        <form method="post" action="">
          <p>
            <label>Username <input name="login" autocomplete="username" /></label>
          </p>
          <p>
            <label>Password <input name="password" type="password" autocomplete="current-password" /></label>
          </p>
          <button>Authorize</button>
          <button name="decision" value="cancel">Cancel</button>
        </form>
      </html>`,
    error === undefined ? 200 : 401,
  );
}
