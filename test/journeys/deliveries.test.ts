import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import { createAcmeOrg, createProduct, getRun, openIssue } from '../support/platform/acme.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { deliverWebhook as send, signBody, readWebhookSecret } from '../support/platform/deliver-webhook.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';

let platform: TestPlatform;
let api: ApiClient;
let secret: string;

beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.signInAsRoot();
  await createAcmeOrg(api);
  await createProduct(platform, api, { name: 'hello2' });
  secret = await readWebhookSecret(platform);
});
afterAll(async () => await platform?.remove());

type Event = { number: number; action?: string; labels?: string[]; sender?: object; repo?: string };

function buildPayload({
  number,
  action = 'opened',
  labels = ['service'],
  sender = { login: 'ada', type: 'User' },
  repo = 'acme/hello2',
}: Event): string {
  const [owner, name] = repo.split('/');
  return JSON.stringify({
    action,
    issue: {
      number,
      title: 'Greet visitors by name',
      body: '',
      labels: labels.map((label) => ({ name: label })),
      user: sender,
    },
    ...(action === 'labeled' ? { label: { name: labels[0] } } : {}),
    repository: { name, full_name: repo, owner: { login: owner } },
    sender,
  });
}

const deliver = async (
  body: string,
  { delivery = randomUUID(), key = secret }: { delivery?: string; key?: string } = {},
): Promise<number> => (await send(platform.url, body, { secret: key, delivery })).status;

const listRuns = async (number: number): Promise<{ name: string }[]> => {
  const { items } = await api.get<{
    items: { name: string; spec: { agentWorkflow: string; target?: { number: number } } }[];
  }>('/v1/orgs/acme/agentworkflowruns?limit=500');
  // The hydration of issues starts too.
  return items.filter(({ spec }) => spec.agentWorkflow === 'change' && spec.target?.number === number);
};

it('accepts ten concurrent deliveries for one issue and starts one run', async () => {
  const number = await openIssue(api, 'hello2', { title: 'Greet visitors by name' });
  const statuses = await Promise.all(Array.from({ length: 10 }, async () => await deliver(buildPayload({ number }))));
  expect(statuses).toEqual(Array.from({ length: 10 }, () => 202));
  await waitUntil(
    async () => await listRuns(number),
    (runs) => runs.length > 0,
  );
  await waitForApproval(number);
  expect(await listRuns(number)).toHaveLength(1);
});

it('starts one run for a repeated delivery, even after the run has finished', async () => {
  const number = await openIssue(api, 'hello2', { title: 'Greet visitors by name' });
  const delivery = randomUUID();
  expect(await deliver(buildPayload({ number }), { delivery })).toBe(202);
  const [run] = await waitUntil(
    async () => await listRuns(number),
    (runs) => runs.length === 1,
  );
  await waitForApproval(number);
  await api.post(`/v1/orgs/acme/agentworkflowruns/${run?.name}/cancel`, {});
  expect(await deliver(buildPayload({ number }), { delivery })).toBe(202);
  // The delivery of another issue is routed after the repeated one.
  const other = await openIssue(api, 'hello2', { title: 'Greet visitors by name' });
  await deliver(buildPayload({ number: other }));
  await waitUntil(
    async () => await listRuns(other),
    (runs) => runs.length === 1,
  );
  expect(await listRuns(number)).toHaveLength(1);
});

it('starts one run for a labeled issue on the code host, although it sends two events', async () => {
  const response = await fetch(`${platform.codehostUrl}/api/v3/repos/acme/hello2/issues`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await platform.codehostToken()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Greet visitors by name', labels: ['service'] }),
  });
  const { number } = (await response.json()) as { number: number };
  await waitUntil(
    async () => await listRuns(number),
    (runs) => runs.length === 1,
  );
  await waitForApproval(number);
  expect(await listRuns(number)).toHaveLength(1);
});

it('401: a signature that matches no org, and a modified body', async () => {
  const body = buildPayload({ number: 1 });
  expect(await deliver(body, { key: 'another' })).toBe(401);
  const response = await fetch(`${platform.url}/api/v1/webhooks/codehost`, {
    method: 'POST',
    headers: {
      'x-github-event': 'issues',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': signBody(body, secret),
    },
    body: `${body} `,
  });
  expect(response.status).toBe(401);
});

it('202: a signed delivery that starts no run', async () => {
  for (const body of [
    buildPayload({ number: 9_001, labels: [] }),
    buildPayload({ number: 9_002, sender: { login: 'dependabot[bot]', type: 'Bot' } }),
    buildPayload({ number: 9_003, repo: 'acme/other' }),
    buildPayload({ number: 9_004, action: 'closed' }),
    '{"action":',
    '[]',
    'null',
  ]) {
    expect(await deliver(body)).toBe(202);
  }
  const number = await openIssue(api, 'hello2', { title: 'Greet visitors by name' });
  await deliver(buildPayload({ number }));
  await waitUntil(
    async () => await listRuns(number),
    (runs) => runs.length === 1,
  );
  expect(await Promise.all([9_001, 9_002, 9_003, 9_004].map(async (issue) => (await listRuns(issue)).length))).toEqual([
    0, 0, 0, 0,
  ]);
});

/** A run that waits for approval started after every delivery of its issue was routed. */
async function waitForApproval(number: number): Promise<void> {
  const [run] = await listRuns(number);
  await waitUntil(
    async () => await getRun(api, run?.name ?? ''),
    ({ status }) => status.phase === 'WaitingForPerson',
  );
}
