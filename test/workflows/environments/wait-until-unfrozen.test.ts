import { expect, it } from 'vitest';
import {
  enqueueSignal,
  freezeZoneUpdate,
  manageZoneStart,
  promoteManuallyUpdate,
  unfreezeZoneUpdate,
} from '../../../workflows/environments/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import type { WorkflowHarness } from '../../support/workflows/workflow-harness.ts';
import { ZoneFixture, buildManualPromotion, buildPromotionRequest } from '../../support/workflows/zone-fixture.ts';

const timeInMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const check = 'The required check "validate" is running.';

/** Creates a zone whose gitops branch blocks each merge while `branch.isBlocked`, and keeps the times of the writes. */
function createGuardedZone() {
  const zone = new ZoneFixture();
  const branch = { isBlocked: true, writes: [] as number[] };
  zone.activities.writePromotion = async () => {
    branch.writes.push(Date.now());
    return branch.isBlocked
      ? { outcome: 'blocked', message: check, needsPerson: false }
      : { outcome: 'promoted', gitopsCommit: 'g1', mergedAt: timeInMs(0) };
  };
  const readWait = (version = 'v0.1.0') => zone.findReleaseZone(version)?.waitingFor;
  return { zone, branch, readWait };
}

async function startZone(harness: WorkflowHarness) {
  const intervals = { mergeWaitMs: 3_600_000, mergeRetryMs: 10 };
  const ref = { org: harness.taskQueue, product: 'hello', zone: 'hello-rc' };
  const zoneWorkflow = await harness.start(manageZoneStart({ ...ref, intervals }));
  const freeze = async (reason: string, until?: string) =>
    await zoneWorkflow.executeUpdate(freezeZoneUpdate, {
      args: [{ reason, by: 'ada', since: timeInMs(0), ...(until && { until }) }],
    });
  const unfreeze = async () => await zoneWorkflow.executeUpdate(unfreezeZoneUpdate, { args: [{ by: 'ada' }] });
  return { zoneWorkflow, freeze, unfreeze };
}

describeWithTemporal('waitUntilUnfrozen', () => {
  it('keeps a promotion that waits for its merge out of a zone that is frozen meanwhile', async () => {
    const { zone, branch, readWait } = createGuardedZone();
    await withWorkflowHarness(zone.activities, async (harness) => {
      const { zoneWorkflow, freeze, unfreeze } = await startZone(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => readWait()?.message).toBe(check);
      await freeze('Sale.');
      await eventually(() => readWait()).toMatchObject({
        role: 'member',
        message: 'unfreeze hello-rc: ada froze it: Sale.',
      });
      const writes = branch.writes.length;
      branch.isBlocked = false;
      await freeze('Incident.');
      await eventually(() => readWait()?.message).toBe('unfreeze hello-rc: ada froze it: Incident.');
      expect(branch.writes).toHaveLength(writes);
      expect(zone.phase('v0.1.0')).toBe('Promoting');
      branch.isBlocked = true;
      await unfreeze();
      await eventually(() => readWait()?.message).toBe(check);
      branch.isBlocked = false;
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(readWait()).toBeUndefined();
    });
  });

  it('begins the limit of the branch again after the freeze', async () => {
    const { zone, readWait } = createGuardedZone();
    await withWorkflowHarness(zone.activities, async (harness) => {
      const { zoneWorkflow, freeze, unfreeze } = await startZone(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => readWait()?.message).toBe(check);
      const before = readWait();
      await freeze('Sale.');
      await eventually(() => readWait()?.message).toContain('unfreeze hello-rc');
      const frozen = readWait();
      expect(frozen).not.toHaveProperty('until');
      await unfreeze();
      await eventually(() => readWait()?.message).toBe(check);
      const { since = '', until = '' } = readWait() ?? {};
      expect(Date.parse(since)).toBeGreaterThan(Date.parse(frozen?.since ?? ''));
      expect(Date.parse(until) - Date.parse(since)).toBe(3_600_000);
      expect(Date.parse(until)).toBeGreaterThan(Date.parse(before?.until ?? ''));
    });
  });

  it('lifts a freeze that expires, and promotes only then', async () => {
    const { zone, branch, readWait } = createGuardedZone();
    await withWorkflowHarness(zone.activities, async (harness) => {
      const { zoneWorkflow, freeze } = await startZone(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => readWait()?.message).toBe(check);
      const until = timeInMs(1_500);
      await freeze('Sale.', until);
      await eventually(() => readWait()?.message).toContain('unfreeze hello-rc');
      branch.isBlocked = false;
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(branch.writes.at(-1)).toBeGreaterThanOrEqual(Date.parse(until));
      expect(zone.state.freeze).toBeNull();
    });
  });

  it('keeps a promotion by a person out, unless it was made to override the freeze', async () => {
    const { zone, branch, readWait } = createGuardedZone();
    await withWorkflowHarness(zone.activities, async (harness) => {
      const { zoneWorkflow, freeze, unfreeze } = await startZone(harness);
      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.2.0')] });
      await eventually(() => readWait('v0.2.0')?.message).toBe(check);
      await freeze('Sale.');
      await eventually(() => readWait('v0.2.0')?.message).toContain('unfreeze hello-rc');
      branch.isBlocked = false;
      await unfreeze();
      await eventually(() => zone.phase('v0.2.0')).toBe('Verified');
    });
  });

  it('lets a promotion through that overrides the freeze', async () => {
    const { zone, branch, readWait } = createGuardedZone();
    await withWorkflowHarness(zone.activities, async (harness) => {
      const { zoneWorkflow, freeze } = await startZone(harness);
      await freeze('Sale.');
      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, {
        args: [buildManualPromotion('v0.2.0', { overrideFreeze: true })],
      });
      await eventually(() => readWait('v0.2.0')?.message).toBe(check);
      branch.isBlocked = false;
      await eventually(() => zone.phase('v0.2.0')).toBe('Verified');
      expect(zone.state.freeze).toMatchObject({ reason: 'Sale.' });
    });
  });
});
