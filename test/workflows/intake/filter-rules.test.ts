import type { Workflow } from '@temporalio/common';
import { expect, inject, it } from 'vitest';
import { createIntakeActivities } from '../../../activities/intake/intake-activities.ts';
import { loadConfig } from '../../../src/config.ts';
import { parseDelivery } from '../../../api/intake/parse-delivery.ts';
import { AgentWorkflowKind, type TriggerSpec } from '../../../src/rules/agents/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { runAgentWorkflowStart } from '../../../workflows/changes/messages.ts';
import type { routeDelivery } from '../../../workflows/index.ts';
import { routeDeliveryStart } from '../../../workflows/intake/messages.ts';
import { sample, testSeed } from '../../support/sample.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { startWorkflowHarness, type WorkflowHarness } from '../../support/workflows/workflow-harness.ts';

/** One row of the table: a code host event, and whether runs for its target are in progress. */
type Row = {
  event: 'issues' | 'pull_request';
  action: string;
  carries: string;
  added: string;
  base: string;
  head: string;
  sender: 'person' | 'bot' | 'own app';
  author: 'person' | 'bot';
  association: 'MEMBER' | 'NONE';
  isPullRequest: boolean;
  running: boolean;
};
type TriggeredWorkflow = { name: string; enabled: boolean; trigger: TriggerSpec };

const labels = ['go'];
const branches = ['main', 'release/*'];
const triggers: Record<string, TriggerSpec> = {
  'opened-any': { type: 'event', event: 'issue.opened' },
  'opened-go': { type: 'event', event: 'issue.opened', labels },
  'labeled-any': { type: 'event', event: 'issue.labeled' },
  'labeled-go': { type: 'event', event: 'issue.labeled', labels },
  'change-any': { type: 'onChange' },
  'change-branch': { type: 'onChange', branches },
  'change-go': { type: 'onChange', labels, branches },
};
const workflows = Object.entries(triggers).flatMap(([name, trigger]): TriggeredWorkflow[] => [
  { name, enabled: true, trigger },
  { name: `${name}-off`, enabled: false, trigger },
]);

/** Returns every combination of the fields' values. */
function combine<T extends object>(values: { [Field in keyof T]: readonly T[Field][] }): T[] {
  return Object.entries(values).reduce<object[]>(
    (rows, [field, options]) =>
      rows.flatMap((row) => (options as unknown[]).map((option) => ({ ...row, [field]: option }))),
    [{}],
  ) as T[];
}

const senders = ['person', 'bot', 'own app'] as const;
const rows = [
  ...combine<Row>({
    event: ['issues'],
    action: ['opened', 'labeled', 'edited', 'reopened'],
    carries: ['go', 'other'],
    added: ['go', 'other'],
    base: [''],
    head: [''],
    sender: senders,
    author: ['person', 'bot'],
    association: ['MEMBER', 'NONE'],
    isPullRequest: [false, true],
    running: [false, true],
  }),
  ...combine<Row>({
    event: ['pull_request'],
    action: ['opened', 'reopened', 'synchronize', 'labeled', 'closed'],
    carries: ['go', 'other'],
    added: ['go'],
    base: ['main', 'release/1', 'release/1/2', 'dev'],
    head: ['fix', 'service/some-run'],
    sender: senders,
    author: ['person'],
    association: ['MEMBER', 'NONE'],
    isPullRequest: [false],
    running: [false, true],
  }),
];

/** States the specification's event rules, and that the service's own actions start no run. */
function specStarts(row: Row, { enabled, trigger }: TriggeredWorkflow): boolean {
  if (!enabled || row.sender === 'own app' || row.running) return false;
  if (trigger.type === 'onChange') {
    if (row.event !== 'pull_request') return false;
    if (row.action !== 'opened' && row.action !== 'reopened' && row.action !== 'synchronize') return false;
    if (row.head === 'service/some-run') return false;
    if (trigger.branches && !(row.base === 'main' || row.base === 'release/1')) return false;
    return trigger.labels ? row.carries === 'go' : row.association === 'MEMBER';
  }
  if (trigger.type === 'cron' || row.event !== 'issues' || row.isPullRequest) return false;
  if (trigger.event === 'issue.opened') {
    if (row.action !== 'opened' || row.author === 'bot' || row.sender === 'bot') return false;
    return trigger.labels ? row.carries === 'go' : row.association === 'MEMBER';
  }
  // The specification skips issues that bots open, and opening an issue also sends events for its labels.
  if (row.action !== 'labeled' || (row.author === 'bot' && row.sender === 'bot')) return false;
  return trigger.labels ? row.added === 'go' : true;
}

const accounts = {
  person: { login: 'ada', type: 'User' },
  bot: { login: 'triage[bot]', type: 'Bot' },
  'own app': { login: 'acme-service[bot]', type: 'Bot' },
};

function payload(row: Row, number: number): object {
  const repository = { full_name: 'Acme/Hello' };
  const subject = {
    number,
    labels: [{ name: row.carries }],
    user: accounts[row.author],
    author_association: row.association,
  };
  const rest = { action: row.action, repository, sender: accounts[row.sender], label: { name: row.added } };
  if (row.event === 'issues') return { ...rest, issue: { ...subject, ...(row.isPullRequest && { pull_request: {} }) } };
  const head = { ref: row.head, repo: { full_name: 'Eve/Hello' } };
  return { ...rest, pull_request: { ...subject, base: { ref: row.base }, head } };
}

async function seedStore(store: Store, org: string): Promise<void> {
  const namespace = `org-${org}`;
  const spec = { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' };
  await store.create(OrganizationKind, { metadata: { namespace: 'service-system', name: org }, spec });
  const zones = [{ name: 'hello-prod', promotionPolicy: 'automatic' as const }];
  const product = { repos: ['acme/hello'], delivery: { zones } };
  await store.create(ProductKind, { metadata: { namespace, name: 'hello' }, spec: product });
  const steps = [{ name: 'approve', type: 'human' as const }];
  for (const { name, enabled, trigger } of workflows)
    await store.create(AgentWorkflowKind, {
      metadata: { namespace, name },
      spec: { enabled, triggers: [trigger], steps },
    });
}

/** Routes a row's event on the real server; runs in progress are started on a queue that no worker polls. */
async function routeRow({ client, taskQueue: org }: WorkflowHarness, row: Row, number: number): Promise<string[]> {
  const body = Buffer.from(JSON.stringify(payload(row, number)));
  const parsed = parseDelivery({ event: row.event, body, isForm: false, appSlug: 'acme-service', now: new Date() });
  if ('ignored' in parsed) return [];
  const inProgress = row.running ? workflows.filter((one) => specStarts({ ...row, running: false }, one)) : [];
  const handles = await Promise.all(
    inProgress.map(async ({ name }) => {
      const target = { repo: 'acme/hello', number };
      const { type, options } = runAgentWorkflowStart({
        org,
        agentWorkflow: name,
        product: 'hello',
        target,
        startedBy: 'ada',
      });
      return await client.workflow.start<Workflow>(type, { ...options, taskQueue: `${org}-unpolled` });
    }),
  );
  const { type, options } = routeDeliveryStart({
    org,
    deliveryId: `row-${number}`,
    bodyHash: '',
    facts: parsed.facts,
  });
  const routed = await client.workflow.execute<typeof routeDelivery>(type, { ...options, taskQueue: org });
  await Promise.all(handles.map(async (handle) => await handle.terminate('row finished')));
  const blocked = routed.filter(({ reason }) => reason === 'run-in-progress');
  expect(blocked.map(({ agentWorkflow }) => agentWorkflow).toSorted()).toEqual(
    inProgress.map(({ name }) => name).toSorted(),
  );
  expect(routed.filter(({ run, reason }) => (run === undefined) === (reason === undefined))).toEqual([]);
  return routed.flatMap(({ agentWorkflow, run }) => (run === undefined ? [] : [agentWorkflow]));
}

describeWithTemporal('the event rules', () => {
  it('start the specified runs for combinations of event, action, label, branch, sender and state', async () => {
    const store = openMemoryStore();
    const { matchDelivery } = createIntakeActivities({ store, now: () => new Date(), quotas: loadConfig({}).quotas });
    // The runs have no activities here, so each fails immediately.
    const activities = { matchDelivery, recordDelivery: async (): Promise<void> => {} };
    const harness = await startWorkflowHarness({ address: inject('temporalAddress') ?? '', activities });
    await seedStore(store, harness.taskQueue);
    const mismatches: string[] = [];
    const remaining = sample([...rows.entries()], 216).values();
    const work = async (): Promise<void> => {
      for (const [index, row] of remaining) {
        const actual = await routeRow(harness, row, index + 1);
        const expected = workflows.filter((one) => specStarts(row, one)).map(({ name }) => name);
        if (actual.toSorted().join() !== expected.toSorted().join())
          mismatches.push(`${JSON.stringify(row)} started ${actual.join()}, not ${expected.join()}`);
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    expect(mismatches, `seed ${testSeed}`).toEqual([]);
    await harness.close();
    await store.close();
  }, 240_000);
});
