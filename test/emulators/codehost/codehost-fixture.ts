import { createServer } from 'node:http';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { App } from '@octokit/app';
import { Octokit } from '@octokit/core';
import { verify } from '@octokit/webhooks-methods';
import { onTestFinished } from 'vitest';
import { type AppKeys, createAppKeys } from '../../../src/emulators/codehost/app-keys.ts';
import { startCodehost } from '../../../src/emulators/codehost/start-codehost.ts';
import type { Codehost } from '../../../src/emulators/codehost/start-codehost.ts';
import { runGit } from '../../support/run-git.ts';

export async function createFolder(files: Record<string, string> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'codehost-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

/** The key pairs of this worker: creating one takes longer than most tests. */
const appKeys: Promise<AppKeys>[] = [];

/** Gives each app of a code host a key pair of its own, which apps of other code hosts have too. */
export function reuseAppKeys(): () => Promise<AppKeys> {
  let apps = 0;
  return async () => {
    const keys = (appKeys[apps] ??= createAppKeys());
    apps += 1;
    return await keys;
  };
}

export async function startTestCodehost(dataDir?: string): Promise<Codehost & { dataDir: string; lines: string[] }> {
  const lines: string[] = [];
  const dir = dataDir ?? (await createFolder());
  const log = (line: string): void => void lines.push(line);
  const codehost = await startCodehost({ dataDir: dir, port: 0, log, createAppKeys: reuseAppKeys() });
  let closed = false;
  const close = async (): Promise<void> => {
    if (!closed) await codehost.close();
    closed = true;
  };
  onTestFinished(close);
  return { ...codehost, close, dataDir: dir, lines };
}

export type ReceivedWebhook = {
  event: string;
  guid: string;
  hasValidSignature: boolean;
  headers: Record<string, unknown>;
  payload: WebhookPayload;
};
type WebhookPayload = Record<string, unknown> & { action?: string; sender: { login: string; type: string } };

/** Starts a server that records every webhook and whether its signature is valid. */
export async function startWebhookReceiver(getStatus: () => number = () => 202) {
  const hooks: ReceivedWebhook[] = [];
  const secret: { value: string } = { value: '' };
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const body = Buffer.concat(chunks).toString();
      const { headers } = request;
      const hasValidSignature = await verify(secret.value, body, String(headers['x-hub-signature-256']));
      hooks.push({
        event: String(headers['x-github-event']),
        guid: String(headers['x-github-delivery']),
        hasValidSignature,
        headers,
        payload: JSON.parse(body) as WebhookPayload,
      });
      response.writeHead(getStatus()).end('received');
      for (const wake of waiting.splice(0)) wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  /** Waits until this many webhooks of the event have arrived. */
  const received = async (name: string, count = 1): Promise<ReceivedWebhook[]> => {
    for (;;) {
      const found = hooks.filter(({ event, payload }) => [event, payload.action].filter(Boolean).join('.') === name);
      if (found.length >= count) return found;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  return { url: `http://localhost:${port}/hooks`, hooks, secret, received };
}

export const allPermissions = {
  administration: 'write',
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  workflows: 'write',
  checks: 'read',
  statuses: 'read',
} as const;
const allEvents = ['issues', 'issue_comment', 'pull_request', 'push', 'release'];

type AppConversion = {
  id: number;
  slug: string;
  client_id: string;
  client_secret: string;
  webhook_secret: string;
  pem: string;
};

/** Registers an app by its manifest, with the requests of a browser and of a service. */
export async function registerApp(
  codehost: Codehost,
  {
    org = 'acme',
    hookUrl = 'http://localhost:9/',
    permissions = allPermissions as Record<string, string>,
    callbackUrls = [] as string[],
  } = {},
) {
  const manifest = {
    name: 'Delivery',
    url: 'http://localhost:1/',
    hook_attributes: { url: hookUrl },
    redirect_url: 'http://localhost:1/back?keep=1',
    callback_urls: callbackUrls,
    default_permissions: permissions,
    default_events: allEvents,
  };
  const form = await fetch(`${codehost.url}/organizations/${org}/settings/apps/new?state=s1`, {
    method: 'POST',
    headers: { authorization: `Bearer ${codehost.userToken}` },
    body: new URLSearchParams({ manifest: JSON.stringify(manifest) }),
    redirect: 'manual',
  });
  const back = new URL(form.headers.get('location') ?? '');
  const converted = await fetch(`${codehost.apiUrl}/app-manifests/${back.searchParams.get('code')}/conversions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${codehost.userToken}` },
  });
  const app = (await converted.json()) as AppConversion;
  return { form, back, converted, app, octokitApp: createOctokitApp(codehost, app) };
}

export function createOctokitApp(codehost: Codehost, { id, pem }: { id: number | string; pem: string }): App {
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  return new App({
    appId: id,
    privateKey: pem,
    Octokit: Octokit.defaults({ baseUrl: codehost.apiUrl, log: quiet }),
    log: quiet,
  });
}

/** Starts a code host with the repository `acme/shop`, an installed app, and a receiver of its webhooks. */
export async function startShopFixture(files: Record<string, string> = { 'README.md': 'shop\n' }) {
  const codehost = await startTestCodehost();
  const receiver = await startWebhookReceiver();
  await codehost.seedRepository('acme/shop', await createFolder(files));
  const { app, octokitApp: installed } = await registerApp(codehost, { hookUrl: receiver.url });
  receiver.secret.value = app.webhook_secret;
  const octokit = await getInstallationOctokit(installed, 'acme');
  const { token } = (await octokit.auth({ type: 'installation' })) as { token: string };
  return { codehost, receiver, app, installed, octokit, token, repo: { owner: 'acme', repo: 'shop' } };
}

export async function getInstallationOctokit(app: App, org: string) {
  const { data } = await app.octokit.request('GET /orgs/{org}/installation', { org });
  return app.getInstallationOctokit(data.id);
}

export const withToken = (url: string, token: string): string => url.replace('://', `://x-access-token:${token}@`);

/** Pushes a commit with these files to a branch, which is created from `main` if needed. */
export async function pushBranch(
  { url }: Codehost,
  { token, branch, files, email }: { token: string; branch: string; files: Record<string, string>; email?: string },
): Promise<string> {
  const folder = await createFolder();
  await runGit(folder, 'clone', '--quiet', `${withToken(url, token)}/acme/shop.git`, 'shop');
  const shop = join(folder, 'shop');
  await runGit(
    shop,
    'checkout',
    '--quiet',
    '-B',
    branch,
    await runGit(shop, 'rev-parse', '--verify', '--quiet', `origin/${branch}`).catch(() => 'origin/main'),
  );
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(shop, path)), { recursive: true });
    await writeFile(join(shop, path), text);
  }
  await runGit(shop, 'add', '--all');
  const identity = email === undefined ? [] : ['-c', `user.email=${email}`];
  await runGit(shop, ...identity, 'commit', '--quiet', '--message', `Change ${Object.keys(files).join(', ')}`);
  await runGit(shop, 'push', '--quiet', 'origin', branch);
  return runGit(shop, 'rev-parse', 'HEAD');
}
