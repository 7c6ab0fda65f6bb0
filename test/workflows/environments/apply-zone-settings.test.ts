import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import {
  applySettingsSignal,
  enqueueSignal,
  promoteManuallyUpdate,
  zoneProgressQuery,
} from '../../../workflows/environments/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import {
  ZoneFixture,
  buildManualPromotion,
  buildPromotionRequest,
  holdUnhealthy,
  startZoneWorkflow,
} from '../../support/workflows/zone-fixture.ts';

describeWithTemporal('applyZoneSettings', () => {
  it('applies settings while a Release waits for approval', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      await zoneWorkflow.signal(applySettingsSignal, { generation: 2 });
      await eventually(() => zone.state.settings).toMatchObject({ generation: 2, phase: 'Applied' });
      expect(zone.phase('v0.1.0')).toBe('WaitingForApproval');
      await eventually(async () => await zoneWorkflow.query(zoneProgressQuery)).toMatchObject({ phase: 'Pending' });
    });
  });

  it('waits for the promotion in progress, and applies the newest generation once', async () => {
    const zone = new ZoneFixture();
    const { letHealthy } = holdUnhealthy(zone, 'v0.1.0');
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('Deploying');
      for (const generation of [3, 2]) await zoneWorkflow.signal(applySettingsSignal, { generation });
      await eventually(async () => await zoneWorkflow.query(zoneProgressQuery)).toMatchObject({ phase: 'Deploying' });
      expect(harness.calledActivities()).not.toContain('writeZoneSettings');
      letHealthy();
      await eventually(() => zone.state.settings).toMatchObject({ generation: 3, phase: 'Applied' });
      expect(zone.phase('v0.1.0')).toBe('Verified');
      expect(harness.callInputs('writeZoneSettings')).toHaveLength(1);
    });
  });

  it('is interrupted by a manual promotion, and applies the settings after it', async () => {
    const zone = new ZoneFixture();
    holdUnhealthy(zone, 'any');
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(applySettingsSignal, { generation: 2 });
      await eventually(() => harness.calledActivities()).toContain('waitForZoneHealth');
      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.1.0')] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      await eventually(() => harness.callInputs('writeZoneSettings')).toHaveLength(2);
    });
  });

  it('records the error when settings cannot be applied, and promotes the next Release', async () => {
    const zone = new ZoneFixture();
    zone.activities.writeZoneSettings = async () => ({ outcome: 'refused', message: 'The branch main is protected.' });
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(applySettingsSignal, { generation: 2 });
      await eventually(() => zone.state.settings).toMatchObject({
        phase: 'Failed',
        message: 'The branch main is protected.',
      });
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
    });
  });

  it('gives up settings whose pull request a person has closed, and says how to open another one', async () => {
    const zone = new ZoneFixture();
    const pullRequest = { number: 7, url: 'http://host/pulls/7' };
    zone.activities.writeZoneSettings = async ({ proposal }) =>
      proposal === undefined
        ? { outcome: 'blocked', message: 'The branch needs a review.', needsPerson: true, pullRequest }
        : { outcome: 'refused', message: `Pull request #${proposal} was closed without a merge.`, isClosed: true };
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(applySettingsSignal, { generation: 2 });
      await eventually(() => zone.state.settings).toMatchObject({
        phase: 'Failed',
        message: 'Pull request #7 was closed without a merge. Save the settings again to open another one.',
      });
      expect(harness.callInputs('writeZoneSettings').map(({ proposal }) => proposal)).toEqual([undefined, 7]);
    });
  });

  it('records the pull request, and the fix of what keeps an app from its zone', async () => {
    const zone = new ZoneFixture();
    const pullRequest = { number: 7, url: 'http://host/pulls/7' };
    const { writeZoneSettings } = zone.activities;
    zone.activities.writeZoneSettings = async (input) =>
      ({ ...(await writeZoneSettings?.(input)), pullRequest }) as never;
    const message = 'Argo CD has no cluster "far".';
    const outcomes = [
      { outcome: 'failed', message, fix: 'Add the cluster to Argo CD.' } as const,
      { outcome: 'failed', message } as const,
      { outcome: 'healthy', healthyAt: '2026-01-01T00:00:00.000Z' } as const,
    ];
    const waitForZoneHealth = async () => outcomes.shift() ?? ({ outcome: 'failed', message: 'Unexpected.' } as const);
    await withWorkflowHarness({ ...zone.activities, waitForZoneHealth }, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      const states = [
        { phase: 'Failed', message: `${message} Add the cluster to Argo CD.` },
        { phase: 'Failed', message },
        { phase: 'Applied' },
      ];
      for (const [index, state] of states.entries()) {
        const generation = index + 2;
        await zoneWorkflow.signal(applySettingsSignal, { generation });
        const expected = { generation, at: expect.any(String), pullRequest, ...state };
        await eventually(() => zone.state.settings).toEqual(expected);
      }
    });
  });

  it('records the error of an activity that fails', async () => {
    const zone = new ZoneFixture();
    zone.activities.writeZoneSettings = async () => {
      throw new ServiceError('conflict', 'The gitops repo is archived.');
    };
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(applySettingsSignal, { generation: 2 });
      await eventually(() => zone.state.settings).toMatchObject({
        phase: 'Failed',
        message: 'The gitops repo is archived.',
      });
    });
  });
});
