import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { createAcmeOrg } from '../support/platform/acme.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { deliverWebhook, readWebhookSecret } from '../support/platform/deliver-webhook.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';

type Payload = {
  action?: string;
  issue?: { number: number; pull_request?: object; user: { type: string } };
  pull_request?: { number: number; head: { ref: string; repo: { full_name: string } } };
  sender?: { type: string };
};
type Example = { event: string; payload: Payload; body: string };
type DeliveryList = { items: { number: number; run?: string; reason?: string }[] };

const folder = dirname(fileURLToPath(import.meta.resolve('@octokit/webhooks-examples/package.json')));

/** All examples of the package, for GitHub and for every version of GitHub Enterprise Server. */
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

/** The specification starts runs for these issue events only. */
const isIssueEvent = ({ event, payload }: Example): boolean =>
  event === 'issues' && (payload.action === 'opened' || payload.action === 'labeled');
const isChange = ({ event, payload }: Example): boolean =>
  event === 'pull_request' && ['opened', 'reopened', 'synchronize'].includes(payload.action ?? '');

let platform: TestPlatform;
let api: ApiClient;

beforeAll(async () => {
  platform = await TestPlatform.start();
  api = await platform.signInAsRoot();
  await createAcmeOrg(api);
  const store = openSqliteStore({ file: join(platform.dataDir, 'store.sqlite') });
  await store.create(ProductKind, {
    metadata: { namespace: 'org-acme', name: 'hello' },
    spec: {
      repos: ['codertocat/hello-world'],
      delivery: { zones: [{ name: 'hello-rc', promotionPolicy: 'automatic' }] },
    },
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
  for (const name of ['change', 'issue-hydration']) await api.delete(`/v1/orgs/acme/agentworkflows/${name}`);
});
afterAll(async () => await platform?.remove());

const listDeliveries = async (agentWorkflow: string): Promise<DeliveryList['items']> =>
  (await api.get<DeliveryList>(`/v1/orgs/acme/agentworkflows/${agentWorkflow}/deliveries?limit=500`)).items;

it('accepts every published example payload, and starts runs only for matching triggers', async () => {
  expect(examples.length).toBeGreaterThan(700);
  const secret = await readWebhookSecret(platform);
  const statuses = [];
  for (const { event, body } of examples)
    statuses.push((await deliverWebhook(platform.url, body, { secret, event })).status);
  expect(statuses.filter((status) => status !== 202)).toEqual([]);

  const expected = {
    'on-opened': examples.filter((one) => isIssueEvent(one) && one.payload.action === 'opened'),
    'on-labeled': examples.filter((one) => isIssueEvent(one) && one.payload.action === 'labeled'),
    'on-change': examples.filter(isChange),
    'on-release-branch': examples.filter(isChange),
  };
  for (const [agentWorkflow, matching] of Object.entries(expected)) {
    // Two collections can contain the same body, which is then delivered twice with different ids.
    const recorded = await waitUntil(
      async () => await listDeliveries(agentWorkflow),
      (items) => items.length >= matching.length,
    );
    expect(recorded, agentWorkflow).toHaveLength(matching.length);
  }
  const { items: runs } = await api.get<{ items: { spec: { agentWorkflow: string; target: { number: number } } }[] }>(
    '/v1/orgs/acme/agentworkflowruns?limit=500',
  );
  const started = new Set(runs.map(({ spec }) => `${spec.agentWorkflow} #${spec.target.number}`));
  expect(started).toEqual(new Set(['on-opened #1', 'on-labeled #1', 'on-change #2']));
  const reasons = new Set((await listDeliveries('on-release-branch')).map(({ reason }) => reason));
  expect(reasons).toEqual(new Set(['branch-mismatch']));

  const log = await readFile(join(platform.dataDir, 'logs', 'service.log'), 'utf8');
  const lines = log.split('\n').filter(Boolean);
  expect(lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)).toEqual([]);
});
