import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Api } from '../../src/clients/http.ts';
import { ProductKind } from '../../src/rules/catalog/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { createAcme, until } from '../support/acme.ts';
import { deliver, webhookSecret } from '../support/deliver.ts';
import { TestPlatform } from '../support/platform.ts';

type Payload = {
  action?: string;
  issue?: { number: number; pull_request?: object; user: { type: string } };
  pull_request?: { number: number; head: { ref: string; repo: { full_name: string } } };
  sender?: { type: string };
};
type Example = { event: string; payload: Payload; body: string };
type Delivered = { items: { number: number; run?: string; reason?: string }[] };

const folder = dirname(fileURLToPath(import.meta.resolve('@octokit/webhooks-examples/package.json')));

/** Everything that the package has, of the public code host and of all versions that people run themselves. */
const examples = ['api.github.com', 'ghes-31', 'ghes-32', 'ghes-33', 'ghes-34', 'ghes-35'].flatMap(
  (host): Example[] => {
    const events = JSON.parse(readFileSync(join(folder, host, 'index.json'), 'utf8')) as {
      name: string;
      examples: Payload[];
    }[];
    return events.flatMap(({ name: event, examples: payloads }) =>
      payloads.map((payload) => ({ event, payload, body: JSON.stringify(payload) })),
    );
  },
);

/** As the specification puts it. */
const isIssueEvent = ({ event, payload }: Example): boolean =>
  event === 'issues' && (payload.action === 'opened' || payload.action === 'labeled');
const isChange = ({ event, payload }: Example): boolean =>
  event === 'pull_request' && ['opened', 'reopened', 'synchronize'].includes(payload.action ?? '');

let platform: TestPlatform;
let api: Api;

beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.asRoot();
  await createAcme(api);
  const store = openSqliteStore({ file: join(platform.dataDir, 'store.sqlite') });
  await store.create(ProductKind, {
    metadata: { namespace: 'org-acme', name: 'hello' },
    spec: { repos: ['codertocat/hello-world'], delivery: { zones: [{ name: 'hello-rc', arrival: 'automatic' }] } },
  });
  await store.close();
  for (const [name, trigger] of [
    ['on-opened', { type: 'event', event: 'issue.opened' }],
    ['on-labeled', { type: 'event', event: 'issue.labeled' }],
    ['on-change', { type: 'onChange' }],
    ['on-release-branch', { type: 'onChange', branches: ['release/*'] }],
  ] as const) {
    const spec = { enabled: true, triggers: [trigger], steps: [{ name: 'approve', type: 'human' }] };
    await api.post('/v1/orgs/acme/agentworkflows', { name, spec });
  }
  await api.delete('/v1/orgs/acme/agentworkflows/change');
});
afterAll(async () => await platform?.remove());

const deliveries = async (agentWorkflow: string): Promise<Delivered['items']> =>
  (await api.get<Delivered>(`/v1/orgs/acme/agentworkflows/${agentWorkflow}/deliveries?limit=500`)).items;

it('every payload that the code host publishes is taken, and starts runs only where the rules say so', async () => {
  expect(examples.length).toBeGreaterThan(700);
  const secret = await webhookSecret(platform);
  const answers = [];
  for (const { event, body } of examples) answers.push((await deliver(platform.url, body, { secret, event })).status);
  expect(answers.filter((status) => status !== 202)).toEqual([]);

  const expected = {
    'on-opened': examples.filter((one) => isIssueEvent(one) && one.payload.action === 'opened'),
    'on-labeled': examples.filter((one) => isIssueEvent(one) && one.payload.action === 'labeled'),
    'on-change': examples.filter(isChange),
    'on-release-branch': examples.filter(isChange),
  };
  for (const [agentWorkflow, given] of Object.entries(expected)) {
    // The same body in two of the collections is delivered twice, under an id of its own.
    const noted = await until(
      async () => await deliveries(agentWorkflow),
      (items) => items.length >= given.length,
    );
    expect(noted, agentWorkflow).toHaveLength(given.length);
  }
  const { items: runs } = await api.get<{ items: { spec: { agentWorkflow: string; target: { number: number } } }[] }>(
    '/v1/orgs/acme/agentworkflowruns?limit=500',
  );
  const started = new Set(runs.map(({ spec }) => `${spec.agentWorkflow} #${spec.target.number}`));
  expect(started).toEqual(new Set(['on-opened #1', 'on-labeled #1', 'on-change #2']));
  const reasons = new Set((await deliveries('on-release-branch')).map(({ reason }) => reason));
  expect(reasons).toEqual(new Set(['no trigger takes this base branch']));

  const log = await readFile(join(platform.dataDir, 'logs', 'service.log'), 'utf8');
  const lines = log.split('\n').filter(Boolean);
  expect(lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)).toEqual([]);
});
