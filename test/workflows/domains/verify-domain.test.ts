import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import {
  checkDomainUpdate,
  checksChangedSignal,
  claimDomainUpdate,
  removeDomainUpdate,
  verifyDomainStart,
} from '../../../workflows/domains/messages.ts';
import { waitForCancellation } from '../../support/workflows/wait-for-cancellation.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import type { WorkflowHarness } from '../../support/workflows/workflow-harness.ts';

/** Fakes the store and DNS for external domains; the shard is unique, because one sweep serves all tests of a shard. */
function buildDomainActivities(shard = Math.floor(Math.random() * 1e9)): Partial<Activities> {
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
      await eventually(() => harness.callInputs('refreshDomainState')).toHaveLength(1);
      await name.executeUpdate(checkDomainUpdate, { args: [{ org: 'acme' }] });
      await name.executeUpdate(removeDomainUpdate, { args: [{ org: 'acme' }] });
      await name.result();
      expect(harness.calledActivities().filter((activity) => activity !== 'sweepDomains')).toEqual([
        'claimDomain',
        'refreshDomainState',
        'checkDomain',
        'beginDomainRemoval',
        'deleteDomainResources',
      ]);
    });
  });

  it('evaluates a claim again when its grace period ends', async () => {
    const activities = buildDomainActivities();
    const snapshot = { state: 'WaitingForDns' as const, kind: 'external' as const, shard: 1 };
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
});
