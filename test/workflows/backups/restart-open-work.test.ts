import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { restoreConfirmedSignal } from '../../../workflows/backups/messages.ts';
import { promoteReleaseId } from '../../../src/rules/releases/promote-release-id.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { startShortHistoryServer } from '../../support/workflows/start-short-history-server.ts';
import { withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

import { createActivities, noWork, uniqueStart } from './restore-fixture.ts';

describeWithTemporal('restartOpenWork', () => {
  it('starts all open work from its state, and nothing that runs already', async () => {
    const org = `org-${randomUUID().slice(0, 8)}`;
    const gate = Promise.withResolvers<never>();
    const request = { release: 'hello-v0.2.0', version: 'v0.2.0', commit: 'abc', digest: 'sha256:1' };
    const { state, activities } = createActivities({
      listRestoredOrgs: async () => [org],
      listClaimedDomains: async () => [{ domain: `${org}.example.com`, orgs: [org, 'other'] }],
      listOpenWork: async () => ({
        ...noWork,
        hasCodehost: true,
        schedules: ['upkeep'],
        zones: [{ product: 'hello', zone: 'hello-rc', queue: [{ ...request, attempt: { id: '1a2b3c4d' } }] }],
        releases: [
          {
            product: 'hello',
            repo: 'acme/hello',
            commit: 'abc',
            startedBy: 'ada',
            resume: { release: 'hello-v0.2.0' },
          },
        ],
        runs: [
          {
            run: 'change-hello-1',
            workflowId: `run-agent-workflow/${org}/change/hello/request-1`,
            agentWorkflow: 'change',
            product: 'hello',
            startedBy: 'ada',
          },
        ],
      }),
      // The work itself does not get further than its first activity.
      ...Object.fromEntries(
        [
          'refreshDomainState',
          'refreshRepositoryAccess',
          'redeliverFailedDeliveries',
          'readSchedule',
          'readZone',
          'openRun',
          'reopenRelease',
        ].map((name) => [name, async () => await gate.promise]),
      ),
    });
    await withWorkflowHarness(activities, async ({ start, client, taskQueue }) => {
      const restart = async () => {
        const restore = await start(uniqueStart());
        await restore.signal(restoreConfirmedSignal);
        await restore.result();
      };
      await restart();
      const started = [
        `verify-domain/${org}.example.com`,
        `keep-repository-access/${org}`,
        `reconcile-deliveries/${org}`,
        `manage-zone/${org}/hello/hello-rc`,
        `promote-release/${org}/hello/abc`,
        `run-agent-workflow/${org}/change/hello/request-1`,
        `run-schedule/${org}/upkeep`,
      ];
      const readInput = async (workflowId: string): Promise<unknown> => {
        const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
        const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
        return JSON.parse(Buffer.from(payload?.data ?? '').toString());
      };
      const inputs = await Promise.all(started.map(readInput));
      expect(inputs).toMatchObject([
        { orgs: [org, 'other'] },
        { org },
        { org },
        { queue: [{ ...request, replyToWorkflowId: promoteReleaseId({ org, product: 'hello', commit: 'abc' }) }] },
        { resume: { release: 'hello-v0.2.0' } },
        { requestId: 'request-1', resume: { run: 'change-hello-1' } },
        { agentWorkflow: 'upkeep' },
      ]);
      await restart();
      expect(state.patches.flatMap(({ restarted }) => restarted ?? [])).toEqual([started.length, 0]);
      for (const workflowId of started) await client.workflow.getHandle(workflowId).terminate(taskQueue);
      gate.reject(ApplicationFailure.nonRetryable('The test has ended.'));
    });
  });

  it('continues as new between orgs, and counts all that it starts', async () => {
    const prefix = `org-${randomUUID().slice(0, 8)}`;
    const orgs = Array.from({ length: 12 }, (_, index) => `${prefix}-${index}`);
    const { state, activities } = createActivities({
      listRestoredOrgs: async () => orgs,
      listOpenWork: async () => ({ ...noWork, schedules: ['upkeep'] }),
      readSchedule: async () => ({ now: '2026-01-05T09:00:00.000Z' }),
      recordSchedule: async () => {},
    });
    const address = await startShortHistoryServer(25);
    await withWorkflowHarness(
      activities,
      async ({ start, callInputs }) => {
        const restore = await start(uniqueStart());
        await restore.signal(restoreConfirmedSignal);
        await restore.result();
        expect(callInputs('listOpenWork').map(({ org }) => org)).toEqual(orgs);
        expect(callInputs('restoreArchive')).toHaveLength(1);
        expect(state.patches.at(-1)).toMatchObject({ phase: 'Succeeded', restarted: orgs.length });
        expect(state.deletedKeys).toBe(1);
      },
      address,
    );
  });
});
