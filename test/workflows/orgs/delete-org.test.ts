import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { ServiceError } from '../../../src/errors.ts';
import { deleteOrgStart } from '../../../workflows/orgs/messages.ts';
import { runScheduleStart } from '../../../workflows/scheduling/messages.ts';
import { listPausesMs } from '../../support/workflows/list-pauses.ts';
import { listSignals } from '../../support/workflows/list-signals.ts';
import { startShortHistoryServer } from '../../support/workflows/start-short-history-server.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

const uid = 'u1';
const noop = async (): Promise<void> => {};

function createFakes() {
  let isDeleted = false;
  const products = ['hello'];
  const activities: Partial<Activities> = {
    beginOrgDeletion: async () => ({ uid }),
    listOrgWork: async () => ({ schedules: [], workflowIds: [] }),
    waitForOrgWork: noop,
    markProductsDeleting: async () => [...products],
    waitForProductDeletions: async () => {
      while (products.length > 0) await sleep(10);
    },
    beginProductDeletion: async () => [],
    listProductWork: async () => [],
    removeProductChart: noop,
    deleteProductResources: async ({ product }) => void products.splice(products.indexOf(product), 1),
    listOrgDomains: async () => ['example.com'],
    beginDomainRemoval: noop,
    deleteDomainResources: noop,
    recordOrgDeletion: noop,
    deleteOrgResources: async () => void (isDeleted = true),
    readSchedule: async () => (isDeleted ? { now: '' } : { now: '', schedule: 'daily' }),
    recordSchedule: noop,
  };
  return activities;
}
const intervals = { retryDelayMs: 1 };

describeWithTemporal('deleteOrg', () => {
  it('cancels the work, then deletes Products, domains and at last the rest', async () => {
    const fakes = createFakes();
    let isStopped = false;
    const runId = `run-agent-workflow/${crypto.randomUUID()}`;
    await withWorkflowHarness(
      {
        ...fakes,
        listOrgWork: async () => ({ schedules: ['upkeep'], workflowIds: [runId, 'run-agent-workflow/gone'] }),
        waitForOrgWork: async () => void (isStopped = true),
        readSchedule: async () => ({ now: '2026-01-05T09:00:00.000Z', ...(!isStopped && { schedule: 'daily' }) }),
      },
      async (harness) => {
        const org = harness.taskQueue;
        // The run is another schedule, which ends in the same way when it is cancelled.
        const run = await harness.start({
          ...runScheduleStart({ org, agentWorkflow: 'run' }),
          options: { ...runScheduleStart({ org, agentWorkflow: 'run' }).options, workflowId: runId },
        });
        const schedule = await harness.start(runScheduleStart({ org, agentWorkflow: 'upkeep' }));
        await eventually(() => harness.callInputs('recordSchedule').length).toBe(2);
        const deletion = await harness.start(deleteOrgStart({ org, by: 'bob', intervals }));
        await deletion.result();
        expect(await listSignals(deletion)).toEqual([
          { signal: 'scheduleChanged', to: `run-schedule/${org}/upkeep` },
          { signal: 'checksChanged', to: 'verify-domain/example.com' },
        ]);
        await expect(run.result()).rejects.toThrow('cancelled');
        expect(harness.callInputs('readSchedule').length).toBeGreaterThan(2);
        await schedule.terminate();
        const steps = harness.calledActivities().filter((name) => !name.endsWith('Schedule'));
        const waits = steps.filter((name) => name === 'waitForProductDeletions');
        expect(waits).toHaveLength(1);
        expect(steps.filter((name) => name !== 'waitForProductDeletions')).toEqual([
          'beginOrgDeletion',
          'listOrgWork',
          'waitForOrgWork',
          'markProductsDeleting',
          'beginProductDeletion',
          'listProductWork',
          'removeProductChart',
          'deleteProductResources',
          'listOrgDomains',
          'beginDomainRemoval',
          'deleteDomainResources',
          'deleteOrgResources',
        ]);
        expect(harness.callInputs('deleteOrgResources')).toEqual([{ org, uid }]);
      },
    );
  });

  it('gives the list of thousands of runs the time that it takes', async () => {
    await withWorkflowHarness(createFakes(), async (harness) => {
      const deletion = await harness.start(deleteOrgStart({ org: harness.taskQueue, by: 'bob', intervals }));
      await deletion.result();
      const { events } = await deletion.fetchHistory();
      const scheduled = events?.map(({ activityTaskScheduledEventAttributes: attributes }) => attributes);
      const list = scheduled?.find((one) => one?.activityType?.name === 'listOrgWork');
      expect(Number(list?.startToCloseTimeout?.seconds)).toBeGreaterThan(3_600);
      expect(Number(list?.heartbeatTimeout?.seconds)).toBeLessThan(60);
    });
  });

  it('shows why it cannot continue, and begins again with what is left', async () => {
    let failures = 1;
    const beginDomainRemoval = async (): Promise<void> => {
      if ((failures -= 1) >= 0) throw new ServiceError('domain-in-use', 'The domain "example.com" is in use.');
    };
    const listOrgWork = async () => ({ schedules: [], workflowIds: failures > 0 ? ['run-agent-workflow/gone'] : [] });
    await withWorkflowHarness({ ...createFakes(), listOrgWork, beginDomainRemoval }, async (harness) => {
      const org = harness.taskQueue;
      await (await harness.start(deleteOrgStart({ org, by: 'bob', intervals }))).result();
      expect(harness.callInputs('recordOrgDeletion')).toEqual([
        { org, uid, message: 'The domain "example.com" is in use.' },
      ]);
      expect(harness.callInputs('deleteDomainResources')).toEqual([{ org, domain: 'example.com' }]);
      expect(harness.callInputs('waitForOrgWork')).toHaveLength(1);
      expect(harness.callInputs('waitForProductDeletions')).toHaveLength(1);
    });
  });

  it('pauses before it begins again, also in another execution', async () => {
    let isInUse = true;
    const beginDomainRemoval = async (): Promise<void> => {
      if (isInUse) throw new ServiceError('domain-in-use', 'The domain "example.com" is in use.');
    };
    const address = await startShortHistoryServer(25);
    await withWorkflowHarness(
      { ...createFakes(), beginDomainRemoval },
      async (harness) => {
        const deletion = await harness.start(deleteOrgStart({ org: harness.taskQueue, by: 'bob', intervals }));
        const latest = harness.client.workflow.getHandle(deletion.workflowId);
        await eventually(async () => (await latest.describe()).runId).not.toBe(deletion.firstExecutionRunId);
        const before = harness.callInputs('recordOrgDeletion').length;
        await eventually(() => harness.callInputs('recordOrgDeletion').length).toBeGreaterThan(before);
        isInUse = false;
        await deletion.result();
        const attempts = harness.callInputs('recordOrgDeletion').length;
        expect(await listPausesMs(harness)).toEqual(Array.from({ length: attempts }, () => 1));
      },
      address,
    );
  });

  it('shows in the Temporal UI why it waits', async () => {
    const beginDomainRemoval = async (): Promise<never> => {
      throw new ServiceError('domain-in-use', 'The domain "example.com" is in use.');
    };
    await withWorkflowHarness({ ...createFakes(), beginDomainRemoval }, async (harness) => {
      const deletion = await harness.start(deleteOrgStart({ org: harness.taskQueue, by: 'bob' }));
      await eventually(async () => await listPausesMs(harness)).toHaveLength(1);
      const { currentDetails } = await deletion.query<{ currentDetails: string }>('__temporal_workflow_metadata');
      expect(currentDetails).toBe('The domain "example.com" is in use.');
    });
  });

  it('ends at once for an org that does not exist any more', async () => {
    await withWorkflowHarness({ ...createFakes(), beginOrgDeletion: async () => undefined }, async (harness) => {
      await (await harness.start(deleteOrgStart({ org: harness.taskQueue, by: 'bob' }))).result();
      expect(harness.calledActivities()).toEqual(['beginOrgDeletion']);
    });
  });
});
