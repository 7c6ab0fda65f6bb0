import { expect, it } from 'vitest';
import {
  applySettingsSignal,
  enqueueSignal,
  manageZoneStart,
  type ZoneIntervals,
} from '../../../workflows/environments/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import type { WorkflowHarness } from '../../support/workflows/workflow-harness.ts';
import { ZoneFixture, buildPromotionRequest } from '../../support/workflows/zone-fixture.ts';

type Blocked = {
  message: string;
  needsPerson: boolean;
  outage?: 'cluster' | 'codehost';
  pullRequest?: { number: number; url: string };
};
type Outcome = Blocked | undefined;
const running = { message: 'The required check "validate" is running.', needsPerson: false };
const review = { message: 'The branch needs a review.', needsPerson: true };
const promoted = { outcome: 'promoted' as const, gitopsCommit: 'g1', mergedAt: '2026-01-01T00:00:00Z' };

/** Creates a zone whose writes are blocked as long as `rules.blocked` says so, and counts them. */
function createGuardedZone() {
  const zone = new ZoneFixture();
  const rules = { blocked: running as Outcome, writes: 0 };
  const write = async () => {
    rules.writes += 1;
    return rules.blocked ? { outcome: 'blocked' as const, ...rules.blocked } : { ...promoted, digest: 'sha256:any' };
  };
  zone.activities.writePromotion = write;
  zone.activities.writeZoneSettings = write;
  return { zone, rules };
}

const startZone = async (harness: WorkflowHarness, intervals: Partial<ZoneIntervals>) =>
  await harness.start(manageZoneStart({ org: harness.taskQueue, product: 'hello', zone: 'hello-rc', intervals }));

describeWithTemporal('writeWhenAllowed', () => {
  it('says once what it waits for and until when, and goes on by itself', async () => {
    const { zone, rules } = createGuardedZone();
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZone(harness, { mergeWaitMs: 3_600_000, mergeRetryMs: 10 });
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      const readWait = () => zone.findReleaseZone('v0.1.0')?.waitingFor;
      await eventually(readWait).toMatchObject({ role: 'codehost', message: running.message });
      const { since = '', until = '' } = readWait() ?? {};
      expect(Date.parse(until) - Date.parse(since)).toBe(3_600_000);
      await eventually(() => rules.writes).toBeGreaterThan(2);
      rules.blocked = review;
      await eventually(readWait).toEqual({ role: 'member', message: review.message, since, until });
      expect(zone.phase('v0.1.0')).toBe('Promoting');
      rules.blocked = undefined;
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(readWait()).toBeUndefined();
      const shown = harness.callInputs('recordPromotion').filter(({ patch }) => patch.waitingFor);
      expect(shown).toHaveLength(2);

      rules.blocked = running;
      await zoneWorkflow.signal(applySettingsSignal, { generation: 2 });
      await eventually(() => zone.state.settings).toMatchObject({ phase: 'Applying', message: running.message });
      rules.blocked = undefined;
      await eventually(() => zone.state.settings).toMatchObject({ generation: 2, phase: 'Applied' });
      expect(zone.state.settings).not.toHaveProperty('message');
    });
  });

  it('gives up at its limit with the rule that blocks the merge', async () => {
    const { zone } = createGuardedZone();
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZone(harness, { mergeWaitMs: 30, mergeRetryMs: 10 });
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.2.0'));
      await eventually(() => zone.phase('v0.2.0')).toBe('Failed');
      expect(zone.findReleaseZone('v0.2.0')?.failure).toMatchObject({
        reason: 'promotion-refused',
        message: `The rules of the branch still block the merge: ${running.message}`,
      });
    });
  });

  it.each([
    ['cluster', 'The cluster of the zone'],
    ['codehost', 'The code host'],
  ] as const)('waits for the %s, remembers its pull request, and gives up with that reason', async (role, system) => {
    const outage = { message: 'It does not respond.', needsPerson: false, outage: role };
    const { zone, rules } = createGuardedZone();
    await withWorkflowHarness(zone.activities, async (harness) => {
      rules.blocked = { ...review, pullRequest: { number: 7, url: 'http://host/pulls/7' } };
      const zoneWorkflow = await startZone(harness, { mergeWaitMs: 2_000, mergeRetryMs: 10 });
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.3.0'));
      const readWait = () => zone.findReleaseZone('v0.3.0')?.waitingFor;
      await eventually(readWait).toMatchObject({ role: 'member' });
      rules.blocked = outage;
      await eventually(readWait).toMatchObject({ role, message: outage.message });
      await eventually(() => zone.phase('v0.3.0')).toBe('Failed');
      expect(harness.callInputs('writePromotion').at(-1)).toMatchObject({ proposal: 7 });
      expect(zone.findReleaseZone('v0.3.0')?.failure).toMatchObject({
        message: `${system} still does not respond: ${outage.message}`,
      });
    });
  });
});
