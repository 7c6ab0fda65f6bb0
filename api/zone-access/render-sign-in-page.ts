import { html } from 'hono/html';
import type { Context } from 'hono';
import type { ApiEnv } from '../deps.ts';

/** Renders a self-contained page with a form; it has no script and loads no other resource. */
export async function renderSignInPage(
  c: Context<ApiEnv>,
  { zone, error }: { zone: string; error?: string },
): Promise<Response> {
  c.header(
    'Content-Security-Policy',
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  );
  c.header('Cache-Control', 'no-store');
  return c.html(
    await html`<!doctype html>
      <html lang="en">
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Sign in to open ${zone}</title>
        <style>
          body {
            font:
              16px/1.5 system-ui,
              sans-serif;
            margin: 15vh auto;
            max-width: 20rem;
            padding: 0 1rem;
            color: #1c2333;
          }
          label,
          input,
          button {
            display: block;
            width: 100%;
            box-sizing: border-box;
          }
          input,
          button {
            font: inherit;
            padding: 0.5rem;
            margin: 0.25rem 0 1rem;
          }
          p[role='alert'] {
            color: #a4161a;
          }
        </style>
        <h1>${zone}</h1>
        <p>Only people with access to its Product can open this zone.</p>
        ${error === undefined ? '' : html`<p role="alert">${error}</p>`}
        <form method="post">
          <label>E-mail <input name="email" type="email" autocomplete="username" required autofocus /></label>
          <label>Password <input name="password" type="password" autocomplete="current-password" required /></label>
          <button>Sign in</button>
        </form>
      </html>`,
    200,
  );
}
