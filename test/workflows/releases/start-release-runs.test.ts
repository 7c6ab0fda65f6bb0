import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { startReleaseRunsStart } from '../../../workflows/releases/messages.ts';
import { ChangeFixture } from '../../support/workflows/change-fixture.ts';
import { ReleaseFixture, startRelease } from '../../support/workflows/release-fixture.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

describeWithTemporal('startReleaseRuns', () => {
  it('starts the runs that its tag triggers once per Release, and records them', async () => {
    const release = new ReleaseFixture();
    const run = new ChangeFixture({
      steps: [{ name: 'write', type: 'agent', role: 'release-writer', mode: 'report' }],
    });
    let uid = 'u1';
    const releaseRuns: { agentWorkflow: string; run: string }[] = [];
    const activities: Partial<Activities> = {
      ...run.activities,
      ...release.activities,
      // The store reports the trigger again, like after a crash between the start and the record.
      findReleaseTriggers: async () => ['go-to-market'],
      reserveReleaseRuns: async ({ workflowIds }) => workflowIds.length,
      recordReleaseRun: async ({ releaseRun }) => void releaseRuns.push(releaseRun),
      buildImage: async () => ({ outcome: 'built', digest: 'sha256:1' }),
      openRelease: async () => ({ release: 'hello-v0.1.0', version: 'v0.1.0', uid, zones: [] }),
    };
    await withWorkflowHarness(activities, async (harness) => {
      await (await startRelease(harness)).result();
      await eventually(() => run.phase()).toBe('Succeeded');
      await eventually(() => releaseRuns).toEqual([{ agentWorkflow: 'go-to-market', run: run.run }]);
      expect(harness.callInputs('openRun')).toEqual([
        expect.objectContaining({
          workflowId: `run-agent-workflow/${harness.taskQueue}/go-to-market/hello@v0.1.0/u1`,
          release: 'hello-v0.1.0',
          startedBy: 'Release v0.1.0',
        }),
      ]);
      const calls = harness
        .calledActivities()
        .filter((name) => ['tagRelease', 'findReleaseTriggers', 'openRun'].includes(name));
      expect(calls).toEqual(['tagRelease', 'findReleaseTriggers', 'openRun']);

      const runsWorkflowId = `start-release-runs/${harness.taskQueue}/hello/u1`;
      await harness.client.workflow.getHandle(runsWorkflowId).result();
      await (await startRelease(harness)).result();
      await harness.client.workflow.getHandle(runsWorkflowId).result();
      expect(harness.callInputs('findReleaseTriggers')).toHaveLength(2);
      expect(harness.callInputs('openRun')).toHaveLength(1);
      expect(releaseRuns).toHaveLength(1);

      // The version belongs to a new Release once its Product, or the org, was deleted and created again.
      uid = 'u2';
      await (await startRelease(harness)).result();
      await eventually(() => harness.callInputs('openRun')).toHaveLength(2);
      await eventually(() => releaseRuns).toHaveLength(2);
    });
  });

  it('lets the runs beyond the quota of the org wait', async () => {
    const release = new ReleaseFixture();
    const started: string[] = [];
    const places = [1, 0];
    const activities: Partial<Activities> = {
      ...release.activities,
      findReleaseTriggers: async () => ['go-to-market', 'notes'].filter((name) => !started.includes(name)),
      reserveReleaseRuns: async ({ workflowIds }) => places.shift() ?? workflowIds.length,
      recordReleaseRun: async ({ releaseRun }) => void started.push(releaseRun.agentWorkflow),
      openRun: async () => ({ steps: [], roles: {}, status: { phase: 'Pending', steps: [] } }),
      recordRun: async () => {},
    };
    await withWorkflowHarness(activities, async (harness) => {
      const org = harness.taskQueue;
      const input = { org, product: 'hello', release: { name: 'hello-v0.1.0', version: 'v0.1.0', uid: 'u1' } };
      await (await harness.start(startReleaseRunsStart({ ...input, quotaIntervalMs: 1 }))).result();
      const [market, notes] = ['go-to-market', 'notes'].map(
        (name) => `run-agent-workflow/${org}/${name}/hello@v0.1.0/u1`,
      );
      const reservations = harness.callInputs('reserveReleaseRuns').map(({ workflowIds }) => workflowIds);
      expect(reservations).toEqual([[market, notes], [notes], [notes]]);
      expect(started).toEqual(['go-to-market', 'notes']);
    });
  });
});
