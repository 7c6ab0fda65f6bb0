import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import {
  enqueueSignal,
  manageZoneStart,
  promoteManuallyUpdate,
  withdrawSignal,
} from '../../../workflows/environments/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import {
  ZoneFixture,
  buildManualPromotion,
  buildPromotionRequest,
  startZoneWorkflow,
} from '../../support/workflows/zone-fixture.ts';

const message = 'The branch needs a review.';

/** Creates a zone whose gitops branch blocks the merge of these versions. */
function createGuardedZone(...versions: string[]) {
  const zone = new ZoneFixture();
  zone.activities.writePromotion = async ({ version }) =>
    versions.includes(version)
      ? { outcome: 'blocked', message, needsPerson: true }
      : { outcome: 'promoted', gitopsCommit: 'g1', mergedAt: new Date().toISOString() };
  const waitUntilBlocked = async (version: string) =>
    await eventually(() => zone.findReleaseZone(version)?.waitingFor?.message).toBe(message);
  return { zone, waitUntilBlocked };
}

describeWithTemporal('closeUnlessPromoted', () => {
  it('closes the pull request of a promotion that is withdrawn or superseded, and of no other', async () => {
    const { zone, waitUntilBlocked } = createGuardedZone('v0.1.0', 'v0.2.0');
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await waitUntilBlocked('v0.1.0');
      await zoneWorkflow.signal(withdrawSignal, { release: 'hello-v0.1.0', by: 'ada' });
      await eventually(() => zone.phase('v0.1.0')).toBe('Cancelled');
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.2.0'));
      await waitUntilBlocked('v0.2.0');
      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.3.0')] });
      await eventually(() => zone.phase('v0.3.0')).toBe('Verified');
      expect(zone.phase('v0.2.0')).toBe('Superseded');
      const ref = { org: harness.taskQueue, product: 'hello', zone: 'hello-rc' };
      expect(harness.callInputs('closePromotionPullRequest')).toEqual([
        { ...ref, version: 'v0.1.0' },
        { ...ref, version: 'v0.2.0' },
      ]);
    });
  });

  it('closes it at the limit of the wait, also when the code host does not allow it', async () => {
    const { zone } = createGuardedZone('v0.1.0');
    zone.activities.closePromotionPullRequest = async () => {
      throw new ServiceError('forbidden', 'The app may not close pull requests.');
    };
    await withWorkflowHarness(zone.activities, async (harness) => {
      const ref = { org: harness.taskQueue, product: 'hello', zone: 'hello-rc' };
      const intervals = { mergeWaitMs: 30, mergeRetryMs: 10 };
      const zoneWorkflow = await harness.start(manageZoneStart({ ...ref, intervals }));
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('Failed');
      expect(zone.findReleaseZone('v0.1.0')?.failure?.message).toContain('The rules of the branch still block');
      expect(harness.callInputs('closePromotionPullRequest')).toHaveLength(1);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.2.0'));
      await eventually(() => zone.phase('v0.2.0')).toBe('Verified');
    });
  });
});
