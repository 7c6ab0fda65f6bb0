import { expect, inject, it } from 'vitest';
import { createIntakeActivities } from '../../../activities/intake.ts';
import { readDelivery } from '../../../api/intake/read-delivery.ts';
import { AgentWorkflowKind, type TriggerSpec } from '../../../src/rules/agents/kinds.ts';
import { OrganizationKind, ProductKind } from '../../../src/rules/catalog/kinds.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { runAgentWorkflowId } from '../../../workflows/changes/messages.ts';
import type { routeDelivery } from '../../../workflows/index.ts';
import { routeDeliveryId } from '../../../workflows/intake/messages.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';
import { startWorkflowWorld, type WorkflowWorld } from '../../support/workflow-world.ts';

/** One row of the table: an event as the code host would tell it, and whether runs for its target are going on. */
type Row = {
  event: 'issues' | 'pull_request';
  action: string;
  carries: string;
  added: string;
  base: string;
  head: string;
  sender: 'person' | 'bot' | 'own app';
  author: 'person' | 'bot';
  isPullRequest: boolean;
  running: boolean;
};
type Workflow = { name: string; enabled: boolean; trigger: TriggerSpec };

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
const workflows = Object.entries(triggers).flatMap(([name, trigger]): Workflow[] => [
  { name, enabled: true, trigger },
  { name: `${name}-off`, enabled: false, trigger },
]);

/** Every combination of the values given for the fields. */
function all<T extends object>(values: { [Field in keyof T]: readonly T[Field][] }): T[] {
  return Object.entries(values).reduce<object[]>(
    (rows, [field, options]) =>
      rows.flatMap((row) => (options as unknown[]).map((option) => ({ ...row, [field]: option }))),
    [{}],
  ) as T[];
}

const anyone = ['person', 'bot', 'own app'] as const;
const rows = [
  ...all<Row>({
    event: ['issues'],
    action: ['opened', 'labeled', 'edited', 'reopened'],
    carries: ['go', 'other'],
    added: ['go', 'other'],
    base: [''],
    head: [''],
    sender: anyone,
    author: ['person', 'bot'],
    isPullRequest: [false, true],
    running: [false, true],
  }),
  ...all<Row>({
    event: ['pull_request'],
    action: ['opened', 'reopened', 'synchronize', 'labeled', 'closed'],
    carries: ['go', 'other'],
    added: ['go'],
    base: ['main', 'release/1', 'release/1/2', 'dev'],
    head: ['fix', 'service/some-run'],
    sender: anyone,
    author: ['person'],
    isPullRequest: [false],
    running: [false, true],
  }),
];

/** The part "Events" of the specification, and that nothing which the service does itself starts a run. */
function specStarts(row: Row, { enabled, trigger }: Workflow): boolean {
  if (!enabled || row.sender === 'own app' || row.running) return false;
  if (trigger.type === 'onChange') {
    if (row.event !== 'pull_request') return false;
    if (row.action !== 'opened' && row.action !== 'reopened' && row.action !== 'synchronize') return false;
    if (row.head === 'service/some-run') return false;
    if (trigger.branches && !(row.base === 'main' || row.base === 'release/1')) return false;
    return trigger.labels ? row.carries === 'go' : true;
  }
  if (trigger.type === 'cron' || row.event !== 'issues' || row.isPullRequest) return false;
  if (trigger.event === 'issue.opened') {
    if (row.action !== 'opened' || row.author === 'bot' || row.sender === 'bot') return false;
    return trigger.labels ? row.carries === 'go' : true;
  }
  // Of bots the specification says only whose issues are skipped when they open them, which comes with labels.
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
  const about = { number, labels: [{ name: row.carries }], user: accounts[row.author] };
  const rest = { action: row.action, repository, sender: accounts[row.sender], label: { name: row.added } };
  if (row.event === 'issues') return { ...rest, issue: { ...about, ...(row.isPullRequest && { pull_request: {} }) } };
  return { ...rest, pull_request: { ...about, base: { ref: row.base }, head: { ref: row.head, repo: repository } } };
}

async function fill(store: Store, org: string): Promise<void> {
  const namespace = `org-${org}`;
  const spec = { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' };
  await store.create(OrganizationKind, { metadata: { namespace: 'service-system', name: org }, spec });
  const zones = [{ name: 'hello-prod', arrival: 'automatic' as const }];
  const product = { repos: ['acme/hello'], delivery: { zones } };
  await store.create(ProductKind, { metadata: { namespace, name: 'hello' }, spec: product });
  const steps = [{ name: 'approve', type: 'human' as const }];
  for (const { name, enabled, trigger } of workflows)
    await store.create(AgentWorkflowKind, {
      metadata: { namespace, name },
      spec: { enabled, triggers: [trigger], steps },
    });
}

/** What a row starts, on the real server; runs that go on already are ones that no worker takes up. */
async function started({ client, taskQueue: org }: WorkflowWorld, row: Row, number: number): Promise<string[]> {
  const body = Buffer.from(JSON.stringify(payload(row, number)));
  const read = readDelivery({ event: row.event, body, form: false, slug: 'acme-service', now: new Date() });
  if ('ignored' in read) return [];
  const going = row.running ? workflows.filter((one) => specStarts({ ...row, running: false }, one)) : [];
  const held = await Promise.all(
    going.map(async ({ name }) => {
      const input = { org, agentWorkflow: name, product: 'hello', startedBy: 'ada' };
      const workflowId = runAgentWorkflowId({ ...input, target: { repo: 'acme/hello', number } });
      return await client.workflow.start('runAgentWorkflow', { workflowId, taskQueue: `${org}-nobody`, args: [input] });
    }),
  );
  const input = { org, delivery: `row-${number}`, facts: read.facts };
  const routed = await client.workflow.execute<typeof routeDelivery>('routeDelivery', {
    workflowId: routeDeliveryId({ ...input, bodyHash: '' }),
    taskQueue: org,
    args: [input],
  });
  await Promise.all(held.map(async (handle) => await handle.terminate('the row is over')));
  const already = routed.filter(({ reason }) => reason === 'a run for it is already going on');
  expect(already.map(({ agentWorkflow }) => agentWorkflow).toSorted()).toEqual(
    going.map(({ name }) => name).toSorted(),
  );
  expect(routed.filter(({ run, reason }) => (run === undefined) === (reason === undefined))).toEqual([]);
  return routed.flatMap(({ agentWorkflow, run }) => (run === undefined ? [] : [agentWorkflow]));
}

describeWithTemporal('the rules of which events start runs', () => {
  it('hold for every combination of event, action, label, branch, sender, enabled and already running', async () => {
    const store = openSqliteStore({ file: ':memory:' });
    const { matchDelivery } = createIntakeActivities({ store, now: () => new Date() });
    // What runs do is not given here: each ends as soon as it has started.
    const activities = { matchDelivery, recordDelivery: async (): Promise<void> => {} };
    const world = await startWorkflowWorld({ address: inject('temporalAddress') ?? '', activities });
    await fill(store, world.taskQueue);
    const wrong: string[] = [];
    const left = rows.entries();
    const work = async (): Promise<void> => {
      for (const [index, row] of left) {
        const actual = await started(world, row, index + 1);
        const expected = workflows.filter((one) => specStarts(row, one)).map(({ name }) => name);
        if (actual.toSorted().join() !== expected.toSorted().join())
          wrong.push(`${JSON.stringify(row)} started ${actual.join()}, not ${expected.join()}`);
      }
    };
    await Promise.all(Array.from({ length: 16 }, work));
    expect(wrong).toEqual([]);
    await world.close();
    await store.close();
  }, 240_000);
});
