import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Api } from '../../src/clients/http.ts';
import { createAcme, createProduct, getRun, openIssue, until } from '../support/acme.ts';
import { deliver as send, signatureOf, webhookSecret } from '../support/deliver.ts';
import { TestPlatform } from '../support/platform.ts';

let platform: TestPlatform;
let api: Api;
let secret: string;

beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.asRoot();
  await createAcme(api);
  await createProduct(platform, api, { name: 'hello2' });
  secret = await webhookSecret(platform);
});
afterAll(async () => await platform?.remove());

type Event = { number: number; action?: string; labels?: string[]; sender?: object; repo?: string };

function payload({
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

const runsOf = async (number: number): Promise<{ name: string }[]> => {
  const { items } = await api.get<{ items: { name: string; spec: { target?: { number: number } } }[] }>(
    '/v1/orgs/acme/agentworkflowruns?limit=500',
  );
  return items.filter(({ spec }) => spec.target?.number === number);
};

it('ten deliveries at once for one issue start one run, and each is accepted', async () => {
  const number = await openIssue(api, 'hello2', { title: 'Greet visitors by name' });
  const answers = await Promise.all(Array.from({ length: 10 }, async () => await deliver(payload({ number }))));
  expect(answers).toEqual(Array.from({ length: 10 }, () => 202));
  await until(
    async () => await runsOf(number),
    (runs) => runs.length > 0,
  );
  await settled(number);
  expect(await runsOf(number)).toHaveLength(1);
});

it('the same delivery twice starts one run, also when the first run is over', async () => {
  const number = await openIssue(api, 'hello2', { title: 'Greet visitors by name' });
  const delivery = randomUUID();
  expect(await deliver(payload({ number }), { delivery })).toBe(202);
  const [run] = await until(
    async () => await runsOf(number),
    (runs) => runs.length === 1,
  );
  await settled(number);
  await api.post(`/v1/orgs/acme/agentworkflowruns/${run?.name}/cancel`, {});
  expect(await deliver(payload({ number }), { delivery })).toBe(202);
  // What a third delivery of another issue starts was routed after the repeated one.
  const other = await openIssue(api, 'hello2', { title: 'Greet visitors by name' });
  await deliver(payload({ number: other }));
  await until(
    async () => await runsOf(other),
    (runs) => runs.length === 1,
  );
  expect(await runsOf(number)).toHaveLength(1);
});

it('opening a labelled issue on the code host itself starts one run, although it sends two events', async () => {
  const response = await fetch(`${platform.codehostUrl}/api/v3/repos/acme/hello2/issues`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await platform.codehostToken()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Greet visitors by name', labels: ['service'] }),
  });
  const { number } = (await response.json()) as { number: number };
  await until(
    async () => await runsOf(number),
    (runs) => runs.length === 1,
  );
  await settled(number);
  expect(await runsOf(number)).toHaveLength(1);
});

it('401: a signature that matches no org, and what was tampered with', async () => {
  const body = payload({ number: 1 });
  expect(await deliver(body, { key: 'another' })).toBe(401);
  const response = await fetch(`${platform.url}/api/v1/webhooks/codehost`, {
    method: 'POST',
    headers: {
      'x-github-event': 'issues',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': signatureOf(body, secret),
    },
    body: `${body} `,
  });
  expect(response.status).toBe(401);
});

it('202: signed, but nothing that starts a run', async () => {
  for (const body of [
    payload({ number: 9_001, labels: [] }),
    payload({ number: 9_002, sender: { login: 'dependabot[bot]', type: 'Bot' } }),
    payload({ number: 9_003, repo: 'acme/elsewhere' }),
    payload({ number: 9_004, action: 'closed' }),
    '{"action":',
    '[]',
    'null',
  ]) {
    expect(await deliver(body)).toBe(202);
  }
  const number = await openIssue(api, 'hello2', { title: 'Greet visitors by name' });
  await deliver(payload({ number }));
  await until(
    async () => await runsOf(number),
    (runs) => runs.length === 1,
  );
  expect(await Promise.all([9_001, 9_002, 9_003, 9_004].map(async (one) => (await runsOf(one)).length))).toEqual([
    0, 0, 0, 0,
  ]);
});

/** A run that has come to its approval has seen every delivery that came with its start. */
async function settled(number: number): Promise<void> {
  const [run] = await runsOf(number);
  await until(
    async () => await getRun(api, run?.name ?? ''),
    ({ status }) => status.phase === 'WaitingForPerson',
  );
}
