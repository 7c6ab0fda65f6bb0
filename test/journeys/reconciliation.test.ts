import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Api } from '../../src/clients/http.ts';
import { SecretKind, secretText } from '../../src/rules/core-kinds.ts';
import type { RunSpec, RunStatus } from '../../src/rules/changes/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { reconcileDeliveriesStart } from '../../workflows/intake/messages.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import { octokitApp } from '../local/codehost/a-codehost.ts';
import { createAcme, createProduct, until } from '../support/acme.ts';
import { TestPlatform } from '../support/platform.ts';

type Run = { spec: RunSpec; status?: RunStatus };
type Delivery = { guid: string; status_code: number };

let platform: TestPlatform;
let api: Api;
/** Between the code host and the platform: 503 while it is down. */
let isDown = false;
const gate = createServer((request, response) => {
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
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  platform = await TestPlatform.start();
  api = await platform.asRoot();
  await createAcme(api);
  await createProduct(platform, api, { name: 'greeter' });
  const step = { name: 'look', type: 'agent', role: 'issue-hydrator', mode: 'report' };
  const triggers = [
    { type: 'event', event: 'issue.opened' },
    { type: 'event', event: 'issue.labeled', labels: ['look'] },
    { type: 'onChange' },
  ];
  await api.post('/v1/orgs/acme/agentworkflows', { name: 'look', spec: { enabled: true, triggers, steps: [step] } });
  // Its onChange would work on the pull requests too.
  await api.delete('/v1/orgs/acme/agentworkflows/change');
});
afterAll(async () => {
  await platform?.remove();
  gate.close();
});

async function onCodehost<T>(method: string, path: string, body: object): Promise<T> {
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
  const git = async (...args: string[]): Promise<unknown> =>
    await promisify(execFile)('git', [
      '-C',
      folder,
      '-c',
      'user.name=Ada',
      '-c',
      'user.email=ada@example.com',
      ...args,
    ]);
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

async function theApp() {
  const store = openSqliteStore({ file: join(platform.dataDir, 'store.sqlite') });
  try {
    const entry = await store.get(SecretKind, { namespace: 'org-acme', name: 'codehost-app' });
    const value = (key: string): string => secretText(entry, key) ?? '';
    const codehost = { apiUrl: `${platform.codehostUrl}/api/v3` } as Parameters<typeof octokitApp>[0];
    return octokitApp(codehost, { id: value('app-id'), pem: value('private-key') }).octokit;
  } finally {
    await store.close();
  }
}

/** The loop of the org, at a pace that a test can wait for. */
async function hurry(): Promise<void> {
  const connection = await Connection.connect({ address: `localhost:${platform.port + 4}` });
  const { workflow } = new Client({ connection });
  const { workflowId } = reconcileDeliveriesStart({ org: 'acme' });
  await workflow.getHandle(workflowId).terminate('the test hurries it');
  const pace = { everyMs: 500, settleMs: 500, againMs: 500 };
  await workflow.start('reconcileDeliveries', {
    ...reconcileDeliveriesStart({ org: 'acme', pace }),
    taskQueue: defaultTaskQueue,
  });
  await connection.close();
}

const runsOf = async (number: number): Promise<Run[]> =>
  (await api.get<{ items: Run[] }>('/v1/orgs/acme/agentworkflowruns?limit=500')).items.filter(
    ({ spec }) => spec.target?.number === number,
  );
const haveEnded = (count: number) => (runs: Run[]) =>
  runs.length === count && runs.every(({ status }) => status?.phase === 'Succeeded');

it('loses no trigger while the platform cannot be reached, and starts nothing twice after it', async () => {
  const app = await theApp();
  await hurry();
  await app.request('PATCH /app/hook/config', {
    data: { url: `http://localhost:${(gate.address() as AddressInfo).port}/api/v1/webhooks/codehost` },
  });
  const known = await onCodehost<{ number: number }>('POST', '/issues', { title: 'Known' });
  await until(async () => await runsOf(known.number), haveEnded(1));

  isDown = true;
  const opened = await onCodehost<{ number: number }>('POST', '/issues', { title: 'Opened', labels: ['look'] });
  await onCodehost('POST', `/issues/${known.number}/labels`, { labels: ['look', 'other'] });
  await push('one.txt');
  const pull = await onCodehost<{ number: number }>('POST', '/pulls', { title: 'More', head: 'more', base: 'main' });
  // The worker finds them by looking, although nothing is delivered.
  await until(async () => await runsOf(opened.number), haveEnded(1));
  await until(async () => await runsOf(known.number), haveEnded(2));
  await until(async () => await runsOf(pull.number), haveEnded(1));
  // New commits are in no list: only their delivery tells of them.
  await push('two.txt');

  isDown = false;
  await until(async () => await runsOf(pull.number), haveEnded(2));
  await until(
    async () => (await app.request('GET /app/hook/deliveries', { per_page: 100 })).data as Delivery[],
    (deliveries) => {
      const taken = new Set(deliveries.filter(({ status_code }) => status_code === 202).map(({ guid }) => guid));
      return deliveries.every(({ guid }) => taken.has(guid));
    },
  );
  // What is opened last is routed after all that came late.
  const last = await onCodehost<{ number: number }>('POST', '/issues', { title: 'Last' });
  await until(async () => await runsOf(last.number), haveEnded(1));
  expect(await runsOf(opened.number)).toHaveLength(1);
  expect(await runsOf(known.number)).toHaveLength(2);
  expect(await runsOf(pull.number)).toHaveLength(2);
}, 180_000);
