import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { readTls, toCredentials } from '../../src/main/temporal/server-credentials.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import { SecretKind, readSecretText } from '../../src/kinds/kubernetes.ts';
import type { RunSpec, RunStatus } from '../../src/rules/changes/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { reconcileDeliveriesStart } from '../../workflows/intake/messages.ts';
import { createOctokitApp } from '../emulators/codehost/codehost-fixture.ts';
import { createAcmeOrg, createProduct } from '../support/platform/acme.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';
import { runGit } from '../support/run-git.ts';

type Run = { spec: RunSpec; status?: RunStatus };
type Delivery = { guid: string; status_code: number };

let platform: TestPlatform;
let api: ApiClient;
/** A proxy between the code host and the platform, which responds with 503 while `isDown` is true. */
let isDown = false;
const proxy = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (isDown) return response.writeHead(503).end();
    const headers = Object.entries(request.headers).filter(
      ([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name),
    );
    fetch(`${platform.url}${request.url}`, {
      method: 'POST',
      headers: Object.fromEntries(headers) as Record<string, string>,
      body: Buffer.concat(chunks),
    }).then(
      ({ status }) => response.writeHead(status).end(),
      () => response.writeHead(502).end(),
    );
    return undefined;
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  platform = await TestPlatform.start();
  api = await platform.signInAsRoot();
  await createAcmeOrg(api);
  await createProduct(platform, api, { name: 'greeter' });
  const step = { name: 'inspect', type: 'agent', role: 'issue-hydrator', mode: 'report' };
  const triggers = [
    { type: 'event', event: 'issue.opened' },
    { type: 'event', event: 'issue.labeled', labels: ['inspect'] },
    { type: 'onChange' },
  ];
  await api.delete('/v1/orgs/acme/agentworkflows/issue-hydration');
  await api.post('/v1/orgs/acme/agentworkflows', { name: 'inspect', spec: { enabled: true, triggers, steps: [step] } });
  // The onChange trigger of the default workflow would also start runs on the pull requests.
  await api.delete('/v1/orgs/acme/agentworkflows/change');
});
afterAll(async () => {
  await platform?.remove();
  proxy.close();
});

async function sendToCodehost<T>(method: string, path: string, body: object): Promise<T> {
  const response = await fetch(`${platform.codehostUrl}/api/v3/repos/acme/greeter${path}`, {
    method,
    headers: { authorization: `Bearer ${await platform.codehostToken()}` },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

async function push(file: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'push-'));
  const git = async (...args: string[]): Promise<unknown> => await runGit(folder, ...args);
  try {
    const url = `http://owner:${await platform.codehostToken()}@${new URL(platform.codehostUrl).host}/acme/greeter.git`;
    await git('clone', '--quiet', url, '.');
    await git('checkout', '--quiet', 'more').catch(async () => await git('checkout', '--quiet', '-b', 'more'));
    await writeFile(join(folder, file), `${file}\n`);
    await git('add', '--all');
    await git('commit', '--quiet', '-m', `Add ${file}`);
    await git('push', '--quiet', 'origin', 'more');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function createAppOctokit() {
  const store = openSqliteStore({ file: join(platform.dataDir, 'store.sqlite') });
  try {
    const entry = await store.get(SecretKind, { namespace: 'org-acme', name: 'codehost-app' });
    const value = (key: string): string => readSecretText(entry, key) ?? '';
    const codehost = { apiUrl: `${platform.codehostUrl}/api/v3` } as Parameters<typeof createOctokitApp>[0];
    return createOctokitApp(codehost, { id: value('app-id'), pem: value('private-key') }).octokit;
  } finally {
    await store.close();
  }
}

/** Restarts the reconciliation of the org with short intervals. */
async function shortenIntervals(): Promise<void> {
  const connection = await Connection.connect({
    address: `localhost:${platform.port + 4}`,
    tls: await readTls(toCredentials(join(platform.dataDir, 'temporal', 'credentials'))),
  });
  const { workflow } = new Client({ connection });
  const intervals = { pollIntervalMs: 500, gracePeriodMs: 500, retryDelayMs: 500 };
  const { type, options } = reconcileDeliveriesStart({ org: 'acme', intervals });
  await workflow.getHandle(options.workflowId).terminate('replaced with shorter intervals');
  await workflow.start(type, options);
  await connection.close();
}

const listRuns = async (number: number): Promise<Run[]> =>
  (await api.get<{ items: Run[] }>('/v1/orgs/acme/agentworkflowruns?limit=500')).items.filter(
    ({ spec }) => spec.target?.number === number,
  );
const haveSucceeded = (count: number) => (runs: Run[]) =>
  runs.length === count && runs.every(({ status }) => status?.phase === 'Succeeded');

it('misses no trigger while the platform is unreachable, and starts no run twice afterwards', async () => {
  const app = await createAppOctokit();
  await shortenIntervals();
  await app.request('PATCH /app/hook/config', {
    data: { url: `http://localhost:${(proxy.address() as AddressInfo).port}/api/v1/webhooks/codehost` },
  });
  const known = await sendToCodehost<{ number: number }>('POST', '/issues', { title: 'Known' });
  await waitUntil(async () => await listRuns(known.number), haveSucceeded(1));

  isDown = true;
  const opened = await sendToCodehost<{ number: number }>('POST', '/issues', { title: 'Opened', labels: ['inspect'] });
  await sendToCodehost('POST', `/issues/${known.number}/labels`, { labels: ['inspect', 'other'] });
  await push('one.txt');
  const pull = await sendToCodehost<{ number: number }>('POST', '/pulls', {
    title: 'More',
    head: 'more',
    base: 'main',
  });
  // Reconciliation finds these events, although no delivery arrives.
  await waitUntil(async () => await listRuns(opened.number), haveSucceeded(1));
  await waitUntil(async () => await listRuns(known.number), haveSucceeded(2));
  await waitUntil(async () => await listRuns(pull.number), haveSucceeded(1));
  // The code host lists no commits as events, so only the redelivery reports this push.
  await push('two.txt');

  isDown = false;
  await waitUntil(async () => await listRuns(pull.number), haveSucceeded(2));
  await waitUntil(
    async () => (await app.request('GET /app/hook/deliveries', { per_page: 100 })).data as Delivery[],
    (deliveries) => {
      const accepted = new Set(deliveries.filter(({ status_code }) => status_code === 202).map(({ guid }) => guid));
      return deliveries.every(({ guid }) => accepted.has(guid));
    },
  );
  // The last issue is routed after all late deliveries.
  const last = await sendToCodehost<{ number: number }>('POST', '/issues', { title: 'Last' });
  await waitUntil(async () => await listRuns(last.number), haveSucceeded(1));
  expect(await listRuns(opened.number)).toHaveLength(1);
  expect(await listRuns(known.number)).toHaveLength(2);
  expect(await listRuns(pull.number)).toHaveLength(2);
}, 180_000);
