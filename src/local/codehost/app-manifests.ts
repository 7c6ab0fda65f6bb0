import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import { appShape } from './apps.ts';
import { ensureAccount } from './accounts.ts';
import type { Host } from './host.ts';
import type { AppRow } from './rows.ts';
import { hostTime } from './times.ts';

export const Manifest = z.object({
  name: z.string().min(1).max(100),
  url: z.url(),
  hook_attributes: z.object({ url: z.url(), active: z.boolean().default(true) }).optional(),
  redirect_url: z.url(),
  description: z.string().default(''),
  public: z.boolean().optional(),
  default_permissions: z.record(z.string(), z.enum(['read', 'write', 'admin'])).default({}),
  default_events: z.array(z.string()).default([]),
});
export type Manifest = z.infer<typeof Manifest>;

const codeLifetimeMs = 3_600_000;

export function keepManifest({ database }: Host, ownerLogin: string, manifest: Manifest): string {
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
 * Makes the app that the code stands for, and installs it on its owner's account, since nobody is here to do so; undefined
 * for a code that is unknown, used or older than an hour. Only the public half of the app's key is kept.
 */
export async function convertManifest(host: Host, code: string): Promise<Record<string, unknown> | undefined> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const secrets = {
    client_secret: randomBytes(20).toString('hex'),
    webhook_secret: randomBytes(20).toString('hex'),
    pem: privateKey,
  };
  return host.database.transaction(() => {
    const kept = host.database.one<{ id: number; ownerLogin: string; manifest: string; createdAt: string }>(
      'SELECT * FROM manifests WHERE code = ?',
      code,
    );
    if (kept === undefined) return undefined;
    host.database.run('DELETE FROM manifests WHERE id = ?', kept.id);
    if (Date.parse(kept.createdAt) + codeLifetimeMs < Date.now()) return undefined;
    const app = addApp(host, kept.ownerLogin, {
      manifest: JSON.parse(kept.manifest) as Manifest,
      publicKey,
      webhookSecret: secrets.webhook_secret,
    });
    return { ...appShape(host, app), ...secrets };
  });
}

type NewApp = { manifest: Manifest; publicKey: string; webhookSecret: string };

function addApp(host: Host, ownerLogin: string, { manifest, publicKey, webhookSecret }: NewApp): AppRow {
  const owner = ensureAccount(host, ownerLogin, 'Organization');
  const slug = freeSlug(host, manifest.name);
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
    createdAt: hostTime(),
  });
  host.database.insert('installations', { appId: id, accountId: owner.id, createdAt: hostTime() });
  return host.database.one<AppRow>('SELECT * FROM apps WHERE id = ?', id) as AppRow;
}

/** A person would be asked for another name. */
function freeSlug({ database }: Host, name: string): string {
  const wanted =
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'app';
  const taken = (slug: string): boolean => database.one('SELECT id FROM apps WHERE slug = ?', slug) !== undefined;
  let slug = wanted;
  for (let count = 2; taken(slug); count += 1) slug = `${wanted}-${count}`;
  return slug;
}
