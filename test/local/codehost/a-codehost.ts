import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { App } from '@octokit/app';
import { Octokit } from '@octokit/core';
import { verify } from '@octokit/webhooks-methods';
import { onTestFinished } from 'vitest';
import { startCodehost } from '../../../src/local/codehost/start-codehost.ts';
import type { Codehost } from '../../../src/local/codehost/start-codehost.ts';

export async function aFolder(files: Record<string, string> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'codehost-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

export async function aCodehost(dataDir?: string): Promise<Codehost & { dataDir: string; lines: string[] }> {
  const lines: string[] = [];
  const dir = dataDir ?? (await aFolder());
  const codehost = await startCodehost({ dataDir: dir, port: 0, log: (line) => lines.push(line) });
  let closed = false;
  const close = async (): Promise<void> => {
    if (!closed) await codehost.close();
    closed = true;
  };
  onTestFinished(close);
  return { ...codehost, close, dataDir: dir, lines };
}

export type Hook = {
  event: string;
  guid: string;
  genuine: boolean;
  headers: Record<string, unknown>;
  payload: HookPayload;
};
type HookPayload = Record<string, unknown> & { action?: string; sender: { login: string; type: string } };

/** A server that keeps every webhook it is sent, with whether its signature is right. */
export async function aReceiver(answer: () => number = () => 202) {
  const hooks: Hook[] = [];
  const secret: { value: string } = { value: '' };
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const body = Buffer.concat(chunks).toString();
      const { headers } = request;
      const genuine = await verify(secret.value, body, String(headers['x-hub-signature-256']));
      hooks.push({
        event: String(headers['x-github-event']),
        guid: String(headers['x-github-delivery']),
        genuine,
        headers,
        payload: JSON.parse(body) as HookPayload,
      });
      response.writeHead(answer()).end('taken');
      for (const wake of waiting.splice(0)) wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  /** Waits until as many hooks of that kind have come. */
  const received = async (name: string, count = 1): Promise<Hook[]> => {
    for (;;) {
      const found = hooks.filter(({ event, payload }) => [event, payload.action].filter(Boolean).join('.') === name);
      if (found.length >= count) return found;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  return { url: `http://localhost:${port}/hooks`, hooks, secret, received };
}

const everything = {
  administration: 'write',
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  checks: 'read',
  statuses: 'read',
} as const;
const allEvents = ['issues', 'issue_comment', 'pull_request', 'push', 'release'];

type Conversion = { id: number; slug: string; client_id: string; webhook_secret: string; pem: string };

/** Registers an app through its manifest, as a browser and then a service would. */
export async function anApp(
  codehost: Codehost,
  { org = 'acme', hookUrl = 'http://localhost:9/', permissions = everything as Record<string, string> } = {},
) {
  const manifest = {
    name: 'Delivery',
    url: 'http://localhost:1/',
    hook_attributes: { url: hookUrl },
    redirect_url: 'http://localhost:1/back?keep=1',
    default_permissions: permissions,
    default_events: allEvents,
  };
  const form = await fetch(`${codehost.url}/organizations/${org}/settings/apps/new?state=s1`, {
    method: 'POST',
    body: new URLSearchParams({ manifest: JSON.stringify(manifest) }),
    redirect: 'manual',
  });
  const back = new URL(form.headers.get('location') ?? '');
  const converted = await fetch(`${codehost.apiUrl}/app-manifests/${back.searchParams.get('code')}/conversions`, {
    method: 'POST',
  });
  const app = (await converted.json()) as Conversion;
  return { form, back, converted, app, octokitApp: octokitApp(codehost, app) };
}

export function octokitApp(codehost: Codehost, { id, pem }: { id: number | string; pem: string }): App {
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  return new App({
    appId: id,
    privateKey: pem,
    Octokit: Octokit.defaults({ baseUrl: codehost.apiUrl, log: quiet }),
    log: quiet,
  });
}

/** An app on `acme` whose webhooks arrive, a repository `acme/shop`, and an octokit of the installation. */
export async function aShop(files: Record<string, string> = { 'README.md': 'shop\n' }) {
  const codehost = await aCodehost();
  const receiver = await aReceiver();
  await codehost.seedRepository('acme/shop', await aFolder(files));
  const { app, octokitApp: installed } = await anApp(codehost, { hookUrl: receiver.url });
  receiver.secret.value = app.webhook_secret;
  const octokit = await installationOctokit(installed, 'acme');
  const { token } = (await octokit.auth({ type: 'installation' })) as { token: string };
  return { codehost, receiver, app, installed, octokit, token, repo: { owner: 'acme', repo: 'shop' } };
}

export async function installationOctokit(app: App, org: string) {
  const { data } = await app.octokit.request('GET /orgs/{org}/installation', { org });
  return app.getInstallationOctokit(data.id);
}

/** Runs git as a person with nothing set up would. */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const settings = [
    '-c',
    'user.name=Ada',
    '-c',
    'user.email=ada@example.test',
    '-c',
    'init.defaultBranch=main',
    '-c',
    'credential.helper=',
  ];
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1' };
  const { stdout } = await promisify(execFile)('git', [...settings, ...args], { cwd: folder, env });
  return stdout.trim();
}

export const withToken = (url: string, token: string): string => url.replace('://', `://x-access-token:${token}@`);

/** Pushes a commit of these files on a branch, cut from `main` unless it is there. */
export async function pushBranch(
  { url }: Codehost,
  { token, branch, files }: { token: string; branch: string; files: Record<string, string> },
): Promise<string> {
  const folder = await aFolder();
  await git(folder, 'clone', '--quiet', `${withToken(url, token)}/acme/shop.git`, 'shop');
  const shop = join(folder, 'shop');
  await git(
    shop,
    'checkout',
    '--quiet',
    '-B',
    branch,
    await git(shop, 'rev-parse', '--verify', '--quiet', `origin/${branch}`).catch(() => 'origin/main'),
  );
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(shop, path)), { recursive: true });
    await writeFile(join(shop, path), text);
  }
  await git(shop, 'add', '--all');
  await git(shop, 'commit', '--quiet', '--message', `Change ${Object.keys(files).join(', ')}`);
  await git(shop, 'push', '--quiet', 'origin', branch);
  return git(shop, 'rev-parse', 'HEAD');
}
