import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { saveOAuthClient } from './oauth/clients.ts';
import { toAppJson } from './apps.ts';
import { ensureAccount } from './accounts.ts';
import type { Host } from './host.ts';
import type { AppRow } from './tables.ts';
import { formatTimestamp } from './format-timestamp.ts';

export const Manifest = z.object({
  name: z.string().min(1).max(100),
  url: z.url(),
  hook_attributes: z.object({ url: z.url(), active: z.boolean().default(true) }).optional(),
  redirect_url: z.url(),
  callback_urls: z.array(z.url()).max(10).default([]),
  description: z.string().default(''),
  public: z.boolean().optional(),
  default_permissions: z.record(z.string(), z.enum(['read', 'write', 'admin'])).default({}),
  default_events: z.array(z.string()).default([]),
});
export type Manifest = z.infer<typeof Manifest>;

const codeLifetimeMs = 3_600_000;

export function saveManifest({ database }: Host, ownerLogin: string, manifest: Manifest): string {
  const code = randomBytes(20).toString('hex');
  database.insert('manifests', {
    code,
    ownerLogin,
    manifest: JSON.stringify(manifest),
    createdAt: new Date().toISOString(),
  });
  return code;
}

/**
 * Creates the app of a manifest code and installs it on its owner's account at once, because no person could do that.
 * Returns undefined for a code that is unknown, used or older than an hour.
 */
export async function convertManifest(host: Host, code: string): Promise<Record<string, unknown> | undefined> {
  const { publicKey, privateKey } = await host.createAppKeys();
  const secrets = {
    client_secret: randomBytes(20).toString('hex'),
    webhook_secret: randomBytes(20).toString('hex'),
    pem: privateKey,
  };
  return host.database.transaction(() => {
    const saved = host.database.get<{ id: number; ownerLogin: string; manifest: string; createdAt: string }>(
      'SELECT * FROM manifests WHERE code = ?',
      code,
    );
    if (saved === undefined) return undefined;
    host.database.run('DELETE FROM manifests WHERE id = ?', saved.id);
    if (Date.parse(saved.createdAt) + codeLifetimeMs < Date.now()) return undefined;
    const manifest = JSON.parse(saved.manifest) as Manifest;
    const app = createApp(host, saved.ownerLogin, {
      manifest,
      publicKey,
      webhookSecret: secrets.webhook_secret,
    });
    saveOAuthClient(host, {
      kind: 'github-app',
      name: app.name,
      clientId: app.clientId,
      clientSecret: secrets.client_secret,
      callbackUrls: manifest.callback_urls,
    });
    return { ...toAppJson(host, app), ...secrets };
  });
}

type NewApp = { manifest: Manifest; publicKey: string; webhookSecret: string };

function createApp(host: Host, ownerLogin: string, { manifest, publicKey, webhookSecret }: NewApp): AppRow {
  const owner = ensureAccount(host, ownerLogin, 'Organization');
  const slug = findFreeSlug(host, manifest.name);
  const bot = ensureAccount(host, `${slug}[bot]`, 'Bot');
  const id = host.database.insert('apps', {
    slug,
    name: manifest.name,
    ownerId: owner.id,
    botId: bot.id,
    description: manifest.description,
    url: manifest.url,
    clientId: `Iv23li${randomBytes(7).toString('hex')}`,
    publicKey,
    hookUrl: manifest.hook_attributes?.url ?? '',
    hookActive: manifest.hook_attributes?.active === true ? 1 : 0,
    webhookSecret,
    permissions: JSON.stringify(manifest.default_permissions),
    events: JSON.stringify(manifest.default_events),
    createdAt: formatTimestamp(),
  });
  host.database.insert('installations', { appId: id, accountId: owner.id, createdAt: formatTimestamp() });
  return host.database.get<AppRow>('SELECT * FROM apps WHERE id = ?', id) as AppRow;
}

/** GitHub asks for another name when one is taken; the emulator appends a number. */
function findFreeSlug({ database }: Host, name: string): string {
  const base =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'app';
  const isTaken = (slug: string): boolean => database.get('SELECT id FROM apps WHERE slug = ?', slug) !== undefined;
  let slug = base;
  for (let count = 2; isTaken(slug); count += 1) slug = `${base}-${count}`;
  return slug;
}
