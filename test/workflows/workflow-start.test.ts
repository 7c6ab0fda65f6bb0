import { fileURLToPath } from 'node:url';
import type { Workflow } from '@temporalio/common';
import { WithStartWorkflowOperation, type WorkflowHandle } from '@temporalio/client';
import { Worker, bundleWorkflowCode } from '@temporalio/worker';
import { defineSignal } from '@temporalio/workflow';
import { expect, it } from 'vitest';
import * as backups from '../../workflows/backups/messages.ts';
import * as changes from '../../workflows/changes/messages.ts';
import * as domains from '../../workflows/domains/messages.ts';
import * as environments from '../../workflows/environments/messages.ts';
import * as workflows from '../../workflows/index.ts';
import * as incidents from '../../workflows/incidents/messages.ts';
import * as intake from '../../workflows/intake/messages.ts';
import * as orgs from '../../workflows/orgs/messages.ts';
import * as products from '../../workflows/products/messages.ts';
import * as releases from '../../workflows/releases/messages.ts';
import * as scheduling from '../../workflows/scheduling/messages.ts';
import * as slos from '../../workflows/slos/messages.ts';
import { type WorkflowStart, toChildOptions } from '../../workflows/workflow-start.ts';
import { connectTemporal, describeWithTemporal } from '../support/workflows/temporal-client.ts';
// The harness reduces the SDK's log to errors.
import '../support/workflows/workflow-harness.ts';

const silentLogger = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const facts = {
  event: 'issues' as const,
  action: 'opened' as const,
  repo: 'acme/hello',
  number: 7,
  labels: [],
  senderIsBot: false,
  isPullRequest: false,
};

/** Builds one start of every workflow for an org of its own. */
function buildStarts(org: string): WorkflowStart<Workflow>[] {
  const [product, repo, zone, run] = ['hello', 'acme/hello', 'hello-rc', 'change-hello-7-1a2b3c4d'];
  const role = { responsibilities: ['Resolve the conflict.'] };
  return [
    orgs.deleteOrgStart({ org, by: 'bob' }),
    products.commitLogoStart({ org, product, repo, hash: 'h1', type: 'image/svg+xml' }),
    products.createIssueStart({ org, product, repo, requestId: '1', payloadKey: 'requests/1' }),
    products.deleteProductStart({ org, product, by: 'bob' }),
    products.labelIssueStart({ org, product, repo, number: 7, requestId: '1', add: [], remove: [], by: 'ada' }),
    products.scaffoldProductStart({ org, product, uid: 'u1', by: 'ada' }),
    products.suggestLogosStart({ org, product, round: '1' }),
    changes.runAgentWorkflowStart({
      org,
      agentWorkflow: 'change',
      product,
      target: { repo, number: 7 },
      startedBy: 'ada',
    }),
    changes.resolveConflictsStart({
      org,
      product,
      run,
      step: 's',
      role,
      round: 1,
      previousTurns: 0,
      hasGuidance: false,
    }),
    domains.verifyDomainStart({ org, domain: `${org}.example` }),
    domains.sweepDnsStart({ shard: 0, intervalMs: 1 }),
    environments.keepRepositoryAccessStart({ org }),
    environments.manageZoneStart({ org, product, zone }),
    environments.takeScreenshotStart({ org, product, zone, release: 'hello-v0.1.0' }),
    intake.routeDeliveryStart({ org, deliveryId: 'd', bodyHash: 'b', facts }),
    intake.reconcileDeliveriesStart({ org }),
    releases.promoteReleaseStart({ org, product, repo, commit: 'c0ffee', startedBy: 'ada' }),
    releases.startReleaseRunsStart({ org, product, release: { name: 'hello-v1.0.0', version: 'v1.0.0', uid: 'u1' } }),
    scheduling.runScheduleStart({ org, agentWorkflow: 'upkeep' }),
    slos.reconcileSloRulesStart({ org }),
    incidents.reconcileIncidentsStart({ org }),
    backups.backUpOnScheduleStart(),
    backups.backUpStart({ backup: 'backup-1', startedBy: 'ada' }),
    backups.restoreBackupStart({ restore: 'restore-1' }),
  ].map((start) => start as WorkflowStart<Workflow>);
}

/** Describes an execution as the server knows it. */
async function describeExecution(handle: WorkflowHandle) {
  const described = await handle.describe();
  // The server adds build ids once a worker has taken a task of the execution.
  const custom = described.typedSearchAttributes.getAll().filter(({ key }) => key.name !== 'BuildIds');
  const attributes = custom.map(({ key, value }) => [key.name, value]);
  return {
    type: described.type,
    workflowId: described.workflowId,
    attributes: Object.fromEntries(attributes) as Record<string, unknown>,
    fairnessKey: described.priority?.fairnessKey,
    summary: await described.staticSummary(),
    details: await described.staticDetails(),
  };
}

it('has one builder per workflow, whose type is the name of the workflow', () => {
  const types = buildStarts('acme').map(({ type }) => type);
  expect(types.toSorted()).toEqual(Object.keys(workflows).toSorted());
});

it('drops the task queue and the conflict policy for a child', () => {
  const start = environments.manageZoneStart({ org: 'acme', product: 'hello', zone: 'hello-rc' });
  const { taskQueue: _taskQueue, workflowIdConflictPolicy: _conflictPolicy, ...rest } = start.options;
  expect(toChildOptions(start)).toEqual(rest);
});

describeWithTemporal('a WorkflowStart', () => {
  it('starts the same execution from a client, a signal with start, an update with start and a parent', async () => {
    const { client, connection, taskQueue, close } = await connectTemporal();
    // No worker polls this queue, so the started executions only wait.
    const unpolled = `${taskQueue}-unpolled`;
    const terminate = async (workflowId: string): Promise<void> =>
      void (await client.workflow.getHandle(workflowId).terminate('described'));
    const workflowsPath = fileURLToPath(new URL('start-detached.fixture.ts', import.meta.url));
    const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: silentLogger });
    const worker = await Worker.create({ connection, taskQueue, workflowBundle, shutdownGraceTime: 0 });
    const describeAfter = async (workflowId: string, launch: () => Promise<unknown>) => {
      await launch();
      const description = await describeExecution(client.workflow.getHandle(workflowId));
      await terminate(workflowId);
      return description;
    };
    await worker.runUntil(async () => {
      const compareWays = async (start: WorkflowStart<Workflow>): Promise<void> => {
        // The sweep has no org in its id, so the test's queue makes it unique.
        const workflowId = `${start.options.workflowId}/${taskQueue}`;
        const options = { ...start.options, workflowId, taskQueue: unpolled };
        const expected = await describeAfter(
          workflowId,
          async () => await client.workflow.start<Workflow>(start.type, options),
        );
        expect(expected).toMatchObject({
          type: start.type,
          summary: start.options.staticSummary,
          details: start.options.staticDetails,
          fairnessKey: start.options.priority.fairnessKey,
          attributes: Object.fromEntries(
            start.options.typedSearchAttributes.map(({ key, value }) => [key.name, value]),
          ),
        });
        const signal = defineSignal('any');
        const signalled = await describeAfter(
          workflowId,
          async () =>
            await client.workflow.signalWithStart<Workflow>(start.type, {
              ...options,
              workflowIdConflictPolicy: 'USE_EXISTING',
              workflowIdReusePolicy: 'ALLOW_DUPLICATE',
              signal,
            }),
        );
        expect(signalled).toEqual(expected);
        const child = { ...start, options: { ...options, workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const } };
        const detached = await describeAfter(
          workflowId,
          async () =>
            await client.workflow.execute('startAll', {
              taskQueue,
              workflowId: `${workflowId}/parent`,
              args: [[child]],
            }),
        );
        expect(detached).toEqual(expected);
        const operation = new WithStartWorkflowOperation<Workflow>(start.type, start.options);
        expect(operation).toMatchObject({ workflowTypeOrFunc: start.type, options: start.options });
      };
      await Promise.all(buildStarts(taskQueue).map(compareWays));
    });
    await close();
  });
});
