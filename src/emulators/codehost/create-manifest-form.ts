import { Hono } from 'hono';
import type { Context } from 'hono';
import { saveManifest, Manifest } from './app-manifests.ts';
import { findAccount } from './accounts.ts';
import { challengeOwner } from './challenge-owner.ts';
import type { Host } from './host.ts';
import { isLoopback } from './is-loopback.ts';
import { isOwnerName } from './names.ts';

/** Accepts the manifest of a new app from a browser and redirects back with a code, without a confirmation page. */
export function createManifestForm(host: Host): Hono {
  const form = new Hono();
  form.post('/organizations/:org/settings/apps/new', (c) => registerApp(host, c, c.req.param('org')));
  form.post('/settings/apps/new', (c) => registerApp(host, c, host.owner.login));
  return form;
}

async function registerApp(host: Host, c: Context, owner: string): Promise<Response> {
  const challenge = challengeOwner(host, c);
  if (challenge) return challenge;
  if (!isOwnerName(owner) || findAccount(host, owner)?.type === 'Bot') return c.text('Not Found', 404);
  const { manifest: text } = await c.req.parseBody();
  const read = Manifest.safeParse(parseJson(text));
  if (!read.success)
    return c.text(
      `Error: manifest ${read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`,
      422,
    );
  const { redirect_url: redirect, hook_attributes: hook, callback_urls: callbacks } = read.data;
  // Any web page can post this form, so the code and the webhooks may only go to this machine.
  if (![redirect, ...callbacks, ...(hook === undefined ? [] : [hook.url])].every(isLoopback)) {
    return c.text('Error: redirect_url, callback_urls and hook_attributes.url must be on localhost.', 422);
  }
  const back = new URL(redirect);
  back.searchParams.set('code', saveManifest(host, owner, read.data));
  const state = c.req.query('state');
  if (state !== undefined) back.searchParams.set('state', state);
  return c.redirect(back.href, 302);
}

function parseJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
