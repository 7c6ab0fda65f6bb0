import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import { z } from 'zod';
import { challengeOwner } from '../challenge-owner.ts';
import type { Host } from '../host.ts';
import { isLoopback } from '../is-loopback.ts';
import { registerOAuthApp } from './clients.ts';

const path = '/settings/applications/new';
const App = z.object({
  'oauth_application[name]': z.string().trim().min(1).max(100),
  'oauth_application[callback_url]': z.url().refine(isLoopback),
});

/** Adds the form on which the owner registers an OAuth app, with the fields of GitHub's form. */
export function addAppForm(pages: Hono, host: Host): void {
  pages.get(path, async (c) => challengeOwner(host, c) ?? (await sendPage(c, form)));
  pages.post(path, async (c) => {
    const challenge = challengeOwner(host, c);
    if (challenge) return challenge;
    const read = App.safeParse(await c.req.parseBody());
    // Any web page can post this form, so the codes may only go to this machine.
    if (!read.success) return c.text('Error: the app needs a name and a callback URL on localhost.', 422);
    const { 'oauth_application[name]': name, 'oauth_application[callback_url]': callbackUrl } = read.data;
    const { clientId, clientSecret } = registerOAuthApp(host, { name, callbackUrl });
    return await sendPage(
      c,
      html`<h1>${name}</h1>
        <p>Client ID: <code>${clientId}</code></p>
        <p>Client secret, which is shown once: <code>${clientSecret}</code></p>`,
    );
  });
}

const form = html`<h1>Register an OAuth app</h1>
  <form method="post" action="${path}">
    <p>
      <label>Application name <input name="oauth_application[name]" required /></label>
    </p>
    <p>
      <label>Authorization callback URL <input name="oauth_application[callback_url]" type="url" required /></label>
    </p>
    <button>Register application</button>
  </form>`;

async function sendPage(c: Context, content: typeof form): Promise<Response> {
  c.header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  c.header('Cache-Control', 'no-store');
  return c.html(
    await html`<!doctype html>
      <html lang="en">
        <meta charset="utf-8" /><title>OAuth app</title
        >${content}
      </html>`,
  );
}
