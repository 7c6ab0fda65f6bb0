import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { uiPaths } from '../../../api/http/ui-paths.ts';
import { createProductActivities } from '../../../activities/products/product-activities.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { Blobs } from '../../../src/integrations/blobs/blobs.ts';
import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { defaultAgentWorkflows } from '../../../src/rules/agents/default-workflows.ts';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { AgentWorkflowRunKind, type RunStatus } from '../../../src/rules/changes/kinds.ts';
import { workflowIdAnnotation } from '../../../src/rules/changes/run-names.ts';
import { issueKey } from '../../../src/rules/products/board.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { runAgentWorkflowId } from '../../../src/rules/changes/run-workflow-id.ts';
import type { RunAgentWorkflowInput } from '../../../workflows/changes/messages.ts';
import { startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';

const namespace = 'org-acme';
const { steps } = defaultAgentWorkflows.change;
type Start = { startWorkflowOperation: { options: { args: [RunAgentWorkflowInput] } } };
type Handlers = Record<string, (input: never) => Promise<unknown>>;

type World = {
  blobs?: Blobs;
  /** Why no run can be started. */
  outage?: string;
  /** The number of issues that are being created. */
  creating: number;
};

/** A code host with the repo of the Product "shop", and workflows that do at once what real ones do in time. */
export async function startBoardWorld() {
  const { codehost, app } = await startShopFixture();
  const credentials = { appId: String(app.id), privateKey: app.pem, account: 'acme', version: '1' };
  const codehostApiUrl = codehost.apiUrl;
  const adapter = octokitCodehost({
    apiUrl: codehostApiUrl,
    findCredentials: async () => credentials,
    throttle: false,
  });
  const host = await adapter.forOrg('acme');
  const world: World = { creating: 0 };
  const createTemporal = (store: Store): Client => {
    const activities = createProductActivities({
      store,
      codehost: adapter,
      blobs: { find: async (key: string) => await world.blobs?.find(key) } as Blobs,
    });
    const { createIssue, labelIssue } = activities;
    return createWorkflows(store, { createIssue, labelIssue }, world);
  };
  /** Connects the org, and creates its Product and AgentWorkflows. */
  const seed = async (store: Store, blobs: Blobs): Promise<void> => {
    world.blobs = blobs;
    const data = { 'app-id': String(app.id), 'private-key': app.pem };
    const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
    await store.create(SecretKind, {
      metadata: { namespace, name: 'codehost-app' },
      type: 'Opaque',
      data: Object.fromEntries(encoded) as Record<string, string>,
    });
    for (const [name, spec] of Object.entries(defaultAgentWorkflows))
      await store.create(AgentWorkflowKind, { metadata: { namespace, name }, spec });
    await store.create(ProductKind, {
      metadata: { namespace, name: 'shop' },
      spec: { repos: ['acme/shop'], delivery: { zones: [{ name: 'shop-rc' }, { name: 'shop-prod' }] } },
    });
  };
  return { codehostApiUrl, host, createTemporal, seed, world };
}

const inProgress = (run: string): ServiceError =>
  new ServiceError('run-in-progress', `The run "${run}" is already in progress for this target.`, {
    links: [{ title: `Change ${run}`, url: uiPaths.run('acme', run) }],
  });

function createWorkflows(store: Store, handlers: Handlers, world: World): Client {
  const results = new Map<string, unknown>();
  const workflow = {
    count: async () => ({ count: world.creating }),
    start: async (type: string, { workflowId, args }: { workflowId: string; args: [never] }) =>
      void results.set(workflowId, await handlers[type]?.(args[0])),
    getHandle: (workflowId: string) => ({
      describe: async () => await Promise.reject(new WorkflowNotFoundError('Nothing runs.', workflowId, undefined)),
      result: async () => results.get(workflowId),
      executeUpdate: async () => await cancelRun(store, workflowId),
    }),
    executeUpdateWithStart: async (_update: unknown, { startWorkflowOperation: { options } }: Start) => {
      if (world.outage !== undefined) throw new ServiceError('quota-reached', world.outage);
      const input = options.args[0];
      const { items } = await store.list(AgentWorkflowRunKind, { namespace });
      const same = items.find(
        ({ spec: { target } }) => target && input.target && issueKey(target) === issueKey(input.target),
      );
      if (same?.status?.phase === 'Running') throw inProgress(same.metadata.name);
      const run = `change-shop-${input.target?.number ?? 'task'}`;
      await createRun(store, run, { ...input, status: { phase: 'Running', steps: [] } });
      return { run };
    },
  };
  const withDeadline = async (_deadline: number, call: () => Promise<unknown>): Promise<unknown> => await call();
  return { workflow, withDeadline } as unknown as Client;
}

type NewRun = Pick<RunAgentWorkflowInput, 'target' | 'requestId'> & { status: RunStatus };

/** Creates a run on an issue; steps that the status does not name have not started. */
export async function createRun(store: Store, name: string, { target, requestId, status }: NewRun): Promise<void> {
  const input = { org: 'acme', agentWorkflow: 'change', product: 'shop', ...(target && { target }) };
  const id = runAgentWorkflowId({ ...input, ...(requestId !== undefined && { requestId }) });
  await store.create(AgentWorkflowRunKind, {
    metadata: { namespace, name, annotations: { [workflowIdAnnotation]: id } },
    spec: {
      agentWorkflow: 'change',
      product: 'shop',
      ...(target && { target }),
      startedBy: 'priya@example.com',
      steps,
      roles: {},
    },
  });
  const known = new Map(status.steps.map((step) => [step.name, step]));
  await store.updateStatus(AgentWorkflowRunKind, { namespace, name }, () => ({
    ...status,
    steps: steps.map((step) => known.get(step.name) ?? { name: step.name, phase: 'Pending' as const }),
  }));
}

async function cancelRun(store: Store, workflowId: string): Promise<void> {
  const { items } = await store.list(AgentWorkflowRunKind, { namespace });
  const run = items.find(({ metadata }) => metadata.annotations?.[workflowIdAnnotation] === workflowId);
  if (!run) throw new Error(`There is no run of ${workflowId}.`);
  await store.updateStatus(AgentWorkflowRunKind, run.metadata, ({ status }) => ({
    steps: [],
    ...status,
    phase: 'Cancelled' as const,
  }));
}
