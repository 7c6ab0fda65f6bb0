import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { ServiceError } from '../../../src/errors.ts';
import {
  checkDomainUpdate,
  checksChangedSignal,
  claimDomainUpdate,
  removeDomainUpdate,
  sweepDnsStart,
  verifyDomainStart,
} from '../../../workflows/domains/messages.ts';
import { waitForCancellation } from '../../support/workflows/wait-for-cancellation.ts';
import { startShortHistoryServer } from '../../support/workflows/start-short-history-server.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import type { WorkflowHarness } from '../../support/workflows/workflow-harness.ts';

/** A shard is unique to a test, because one sweep serves all domains of it. */
const newShard = (): number => Math.floor(Math.random() * 1e9);

/** Fakes the store and DNS for external domains. */
function buildDomainActivities(shard = newShard()): Partial<Activities> {
  const snapshot = { state: 'WaitingForDns' as const, kind: 'external' as const, shard };
  return {
    claimDomain: async () => snapshot,
    checkDomain: async () => ({ ...snapshot, state: 'Verified' }),
    refreshDomainState: async () => snapshot,
    beginDomainRemoval: async () => {},
    deleteDomainResources: async () => {},
    sweepDomains: waitForCancellation,
  };
}

const startDomain = async (harness: WorkflowHarness) =>
  await harness.start(verifyDomainStart({ org: 'acme', domain: `${harness.taskQueue}.example` }));
const claim = { org: 'acme', kind: 'external' as const, shared: false };

describeWithTemporal('verifyDomain', () => {
  it('claims a name once per org, evaluates new checks, and completes after the removal', async () => {
    await withWorkflowHarness(buildDomainActivities(), async (harness) => {
      const name = await startDomain(harness);
      await name.executeUpdate(claimDomainUpdate, { args: [claim] });
      await expect(name.executeUpdate(claimDomainUpdate, { args: [claim] })).rejects.toMatchObject({
        cause: { type: 'domain-claimed', message: expect.stringContaining('has already claimed the domain') },
      });
      await name.signal(checksChangedSignal, { org: 'acme' });
      await eventually(() => harness.callInputs('refreshDomainState')).toHaveLength(2);
      await name.executeUpdate(checkDomainUpdate, { args: [{ org: 'acme' }] });
      await name.executeUpdate(removeDomainUpdate, { args: [{ org: 'acme' }] });
      await name.result();
      expect(harness.calledActivities().filter((activity) => activity !== 'sweepDomains')).toEqual([
        'claimDomain',
        'refreshDomainState',
        'refreshDomainState',
        'checkDomain',
        'beginDomainRemoval',
        'deleteDomainResources',
      ]);
    });
  });

  it('evaluates a claim again when its grace period ends', async () => {
    const activities = buildDomainActivities();
    const snapshot = { state: 'WaitingForDns' as const, kind: 'external' as const, shard: newShard() };
    const claimDomain = async () => ({ ...snapshot, gracePeriodEndsAt: new Date(Date.now() + 200).toISOString() });
    await withWorkflowHarness({ ...activities, claimDomain }, async (harness) => {
      const name = await startDomain(harness);
      await name.executeUpdate(claimDomainUpdate, { args: [claim] });
      await eventually(() => harness.callInputs('refreshDomainState')).toHaveLength(1);
    });
  });

  it('ends when the domain was removed while its records were awaited, so that the org can claim it again', async () => {
    const waited = Promise.withResolvers<void>();
    const activities = buildDomainActivities();
    const snapshot = { state: 'WaitingForDns' as const, kind: 'managed' as const, shard: 1 };
    let isClaimed = false;
    const managed: Partial<Activities> = {
      ...activities,
      claimDomain: async () => {
        isClaimed = true;
        return snapshot;
      },
      waitForManagedDomain: async () => {
        await waited.promise;
        return { ...snapshot, state: 'Verified' };
      },
      refreshDomainState: async () => (isClaimed ? snapshot : undefined),
      deleteDomainResources: async () => void (isClaimed = false),
    };
    await withWorkflowHarness(managed, async (harness) => {
      const name = await startDomain(harness);
      const claimManaged = { ...claim, kind: 'managed' as const };
      await name.executeUpdate(claimDomainUpdate, { args: [claimManaged] });
      await eventually(() => harness.callInputs('waitForManagedDomain')).toHaveLength(1);
      await name.executeUpdate(removeDomainUpdate, { args: [{ org: 'acme' }] });
      waited.resolve();
      await name.result();
    });
  });

  it('shows the result of the last check, and waits for the records of a managed domain', async () => {
    const snapshot = { kind: 'managed' as const, shard: newShard() };
    const activities = {
      ...buildDomainActivities(),
      claimDomain: async () => ({ ...snapshot, state: 'WaitingForDns' as const }),
      waitForManagedDomain: async () => ({ ...snapshot, state: 'WaitingForDns' as const }),
      refreshDomainState: async () => ({ ...snapshot, state: 'Verified' as const }),
    };
    await withWorkflowHarness(activities, async (harness) => {
      const domain = `${harness.taskQueue}.example`;
      const intervals = { managedTimeoutMs: 300, managedPollIntervalMs: 20 };
      const name = await harness.start(verifyDomainStart({ org: 'acme', domain, intervals }));
      await name.executeUpdate(claimDomainUpdate, { args: [{ ...claim, kind: 'managed' }] });
      const readDetails = async (): Promise<string> =>
        (await name.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;
      await eventually(readDetails).toBe('**Verified** for acme');
      await name.executeUpdate(checkDomainUpdate, { args: [{ org: 'acme' }] });
      expect(harness.callInputs('waitForManagedDomain')).toEqual([
        { org: 'acme', domain, timeoutMs: 300, intervalMs: 20 },
      ]);
    });
  });

  it('waits for no records of a domain that its owner manages', async () => {
    await withWorkflowHarness(buildDomainActivities(), async (harness) => {
      const name = await startDomain(harness);
      await name.executeUpdate(claimDomainUpdate, { args: [claim] });
      await name.executeUpdate(removeDomainUpdate, { args: [{ org: 'acme' }] });
      await name.result();
      expect(harness.calledActivities()).not.toContain('waitForManagedDomain');
    });
  });

  it('ends when its first claim is refused', async () => {
    const claimDomain = async (): Promise<never> => {
      throw new ServiceError('domain-taken', 'Another org holds the name.');
    };
    await withWorkflowHarness({ ...buildDomainActivities(), claimDomain }, async (harness) => {
      const name = await startDomain(harness);
      await expect(name.executeUpdate(claimDomainUpdate, { args: [claim] })).rejects.toMatchObject({
        cause: { cause: { type: 'domain-taken', message: 'Another org holds the name.' } },
      });
      await name.result();
    });
  });

  it('answers a check that keeps failing, and serves the next message', async () => {
    const checkDomain = async (): Promise<never> => {
      throw new ServiceError('unavailable', 'The store is away.');
    };
    await withWorkflowHarness({ ...buildDomainActivities(), checkDomain }, async (harness) => {
      const name = await startDomain(harness);
      await name.executeUpdate(claimDomainUpdate, { args: [claim] });
      await expect(name.executeUpdate(checkDomainUpdate, { args: [{ org: 'acme' }] })).rejects.toMatchObject({
        cause: { type: 'unavailable', message: 'The store is away.' },
      });
      expect(harness.callInputs('checkDomain')).toHaveLength(5);
      await name.executeUpdate(removeDomainUpdate, { args: [{ org: 'acme' }] });
      await name.result();
    });
  });

  it('accepts another claim of an org whose Domain was deleted with kubectl', async () => {
    let isDeleted = false;
    const activities = buildDomainActivities();
    const { refreshDomainState } = activities;
    activities.refreshDomainState = async (ref) => (isDeleted ? undefined : await refreshDomainState?.(ref));
    await withWorkflowHarness(activities, async (harness) => {
      const name = await startDomain(harness);
      await name.executeUpdate(claimDomainUpdate, { args: [claim] });
      await expect(name.executeUpdate(claimDomainUpdate, { args: [claim] })).rejects.toMatchObject({
        cause: { type: 'domain-claimed' },
      });
      isDeleted = true;
      await name.executeUpdate(claimDomainUpdate, { args: [claim] });
      expect(harness.callInputs('claimDomain')).toHaveLength(2);
    });
  });

  it('serves the other org when one of two removes its claim, and ends when the last is gone', async () => {
    let isGone = false;
    const activities = buildDomainActivities();
    const { refreshDomainState } = activities;
    activities.refreshDomainState = async (ref) => (isGone ? undefined : await refreshDomainState?.(ref));
    await withWorkflowHarness(activities, async (harness) => {
      const name = await startDomain(harness);
      for (const org of ['acme', 'other']) await name.executeUpdate(claimDomainUpdate, { args: [{ ...claim, org }] });
      await name.executeUpdate(removeDomainUpdate, { args: [{ org: 'acme' }] });
      await name.signal(checksChangedSignal, { org: 'other' });
      await eventually(() => harness.callInputs('refreshDomainState').map(({ org }) => org)).toEqual(['other']);
      isGone = true;
      await name.signal(checksChangedSignal, { org: 'other' });
      await name.result();
    });
  });

  it('starts the sweep of its shard once, which outlives it', async () => {
    const shard = newShard();
    await withWorkflowHarness(buildDomainActivities(shard), async (harness) => {
      const domain = `${harness.taskQueue}.example`;
      const name = await harness.start(verifyDomainStart({ org: 'acme', domain, intervals: { sweepIntervalMs: 7 } }));
      for (const org of ['acme', 'other']) await name.executeUpdate(claimDomainUpdate, { args: [{ ...claim, org }] });
      await eventually(() => harness.callInputs('sweepDomains')).toMatchObject([{ shard, intervalMs: 7 }]);
      for (const org of ['acme', 'other']) await name.executeUpdate(removeDomainUpdate, { args: [{ org }] });
      await name.result();
      const { workflowId } = sweepDnsStart({ shard, intervalMs: 7 }).options;
      expect((await harness.client.workflow.getHandle(workflowId).describe()).status.name).toBe('RUNNING');
      const { events } = await name.fetchHistory();
      expect(events?.filter((event) => event.startChildWorkflowExecutionInitiatedEventAttributes)).toHaveLength(1);
    });
  });

  it('keeps its claims when it continues as new', async () => {
    const address = await startShortHistoryServer(25);
    await withWorkflowHarness(
      buildDomainActivities(),
      async (harness) => {
        const name = await startDomain(harness);
        for (const org of ['acme', 'other']) await name.executeUpdate(claimDomainUpdate, { args: [{ ...claim, org }] });
        const latest = harness.client.workflow.getHandle(name.workflowId);
        // Signals without pauses would keep the workflow from continuing as new.
        for (; (await latest.describe()).runId === name.firstExecutionRunId; await setTimeout(50))
          await latest.signal(checksChangedSignal, { org: 'acme' });
        await expect(
          latest.executeUpdate(claimDomainUpdate, { args: [{ ...claim, org: 'other' }] }),
        ).rejects.toMatchObject({
          cause: { type: 'domain-claimed' },
        });
        for (const org of ['acme', 'other']) await latest.executeUpdate(removeDomainUpdate, { args: [{ org }] });
        await name.result();
      },
      address,
    );
  });
});
