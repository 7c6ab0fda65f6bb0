import { Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import {
  approvePromotionUpdate,
  manageZoneId,
  rejectPromotionUpdate,
  zoneProgressQuery,
} from '../../../workflows/environments/messages.ts';
import {
  type PromotionReport,
  cancelReleaseUpdate,
  promoteReleaseStart,
  promotionFinishedSignal,
  waitForReleaseUpdate,
  releaseProgressQuery,
} from '../../../workflows/releases/messages.ts';
import type { Activities } from '../../../activities/index.ts';
import { ChangeFixture, buildTurnOutcome } from '../../support/workflows/change-fixture.ts';
import { ReleaseFixture, startRelease } from '../../support/workflows/release-fixture.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { waitForCancellation } from '../../support/workflows/wait-for-cancellation.ts';
import { shortTaskTimeout, waitUntilSignalSeen } from '../../support/workflows/wait-until-processed.ts';
import type { WorkflowHarness } from '../../support/workflows/workflow-harness.ts';
import { holdUnhealthy } from '../../support/workflows/zone-fixture.ts';

const decision = { release: 'hello-v0.1.0', by: 'bob', role: 'member' };

const getZoneWorkflow = (harness: WorkflowHarness, zone: string) =>
  harness.client.workflow.getHandle(manageZoneId({ org: harness.taskQueue, product: 'hello', zone }));

describeWithTemporal('promoteRelease', () => {
  it('builds and tags once, then promotes zone by zone until production is verified', async () => {
    const release = new ReleaseFixture();
    await withWorkflowHarness(release.activities, async (harness) => {
      const handle = await startRelease(harness);
      expect(await handle.executeUpdate(waitForReleaseUpdate)).toEqual({ release: 'hello-v0.1.0' });
      await eventually(() => release.zones.phase('v0.1.0', 'hello-prod')).toBe('WaitingForApproval');
      expect(release.zones.phase('v0.1.0', 'hello-rc')).toBe('Verified');
      expect(await handle.query(releaseProgressQuery)).toEqual({ phase: 'Promoting', zone: 'hello-prod' });

      await getZoneWorkflow(harness, 'hello-prod').executeUpdate(approvePromotionUpdate, { args: [decision] });
      await handle.result();
      expect(release.status).toMatchObject({
        phase: 'Succeeded',
        digest: 'sha256:1',
        url: 'http://host/releases/v0.1.0',
        builtAt: expect.any(String),
        taggedAt: expect.any(String),
        finishedAt: expect.any(String),
      });
      expect(
        harness.calledActivities().filter((name) => ['buildImage', 'tagRelease', 'writePromotion'].includes(name)),
      ).toEqual(['buildImage', 'tagRelease', 'writePromotion', 'writePromotion']);
    });
  });

  it('resumes from its status: builds nothing again, and asks no zone that has ended', async () => {
    const release = new ReleaseFixture();
    const reopenRelease = async () => ({
      release: 'hello-v0.1.0',
      version: 'v0.1.0',
      uid: 'u1',
      zones: ['hello-rc', 'hello-prod'],
      finishedZones: [{ name: 'hello-rc', phase: 'Verified' as const }],
      digest: 'sha256:1',
    });
    await withWorkflowHarness({ ...release.activities, reopenRelease }, async (harness) => {
      const { type, options } = promoteReleaseStart({
        org: harness.taskQueue,
        product: 'hello',
        repo: 'acme/hello',
        commit: 'c1',
        startedBy: 'ada',
        resume: { release: 'hello-v0.1.0' },
      });
      const handle = await harness.start({ type, options });
      await eventually(() => release.zones.phase('v0.1.0', 'hello-prod')).toBe('WaitingForApproval');
      await getZoneWorkflow(harness, 'hello-prod').executeUpdate(approvePromotionUpdate, { args: [decision] });
      await handle.result();
      expect(release.status).toMatchObject({ phase: 'Succeeded' });
      const called = harness.calledActivities();
      expect(called.filter((name) => ['openRelease', 'buildImage'].includes(name))).toEqual([]);
      expect(harness.callInputs('writePromotion')).toMatchObject([{ zone: 'hello-prod', digest: 'sha256:1' }]);
    });
  });

  it('fails without a tag when the build fails', async () => {
    const release = new ReleaseFixture();
    const buildImage = async () => ({ outcome: 'failed', reason: 'npm test: 1 of 4 failed.' }) as const;
    await withWorkflowHarness({ ...release.activities, buildImage }, async (harness) => {
      await (await startRelease(harness)).result();
      expect(release.status).toMatchObject({
        phase: 'Failed',
        failure: { message: 'npm test: 1 of 4 failed.', resource: 'build of hello-v0.1.0', fix: expect.any(String) },
      });
      expect(harness.calledActivities()).not.toContain('tagRelease');
      expect(harness.calledActivities()).not.toContain('recordPromotion');
    });
  });

  it('fails with the fix that the build names', async () => {
    const release = new ReleaseFixture();
    const fix = 'Replace the password of the registry.';
    const buildImage = async () => ({ outcome: 'failed', reason: 'The registry refuses.', fix }) as const;
    await withWorkflowHarness({ ...release.activities, buildImage }, async (harness) => {
      await (await startRelease(harness)).result();
      expect(release.status.failure).toMatchObject({ message: 'The registry refuses.', fix });
    });
  });

  it('fails with the error of the code host when the tag is refused', async () => {
    const release = new ReleaseFixture();
    const tagRelease = async () => {
      throw new ServiceError('conflict', 'The tag v0.1.0 is at another commit. Delete it.');
    };
    await withWorkflowHarness({ ...release.activities, tagRelease }, async (harness) => {
      await (await startRelease(harness)).result();
      expect(release.status).toMatchObject({
        phase: 'Failed',
        failure: { message: 'The tag v0.1.0 is at another commit. Delete it.' },
      });
      expect(release.status).not.toHaveProperty('taggedAt');
    });
  });

  it('fails at the zone that rejects it', async () => {
    const release = new ReleaseFixture();
    await withWorkflowHarness(release.activities, async (harness) => {
      const handle = await startRelease(harness);
      await eventually(() => release.zones.phase('v0.1.0', 'hello-prod')).toBe('WaitingForApproval');
      await getZoneWorkflow(harness, 'hello-prod').executeUpdate(rejectPromotionUpdate, { args: [decision] });
      await handle.result();
      expect(release.status).toMatchObject({
        phase: 'Failed',
        failure: { message: 'The promotion to hello-prod was rejected.', resource: 'zone hello-prod' },
      });
    });
  });

  it('is cancelled during the build, before the tag', async () => {
    const release = new ReleaseFixture();
    await withWorkflowHarness({ ...release.activities, buildImage: waitForCancellation }, async (harness) => {
      const handle = await startRelease(harness);
      await eventually(() => harness.calledActivities()).toContain('buildImage');
      await handle.executeUpdate(cancelReleaseUpdate, { args: [{ by: 'bob' }] });
      await handle.result();
      expect(release.status).toMatchObject({ phase: 'Cancelled', finishedAt: expect.any(String) });
      expect(harness.calledActivities()).not.toContain('tagRelease');
    });
  });

  it('withdraws from the zone’s queue when it is cancelled', async () => {
    const release = new ReleaseFixture();
    await withWorkflowHarness(release.activities, async (harness) => {
      const handle = await startRelease(harness);
      await eventually(() => release.zones.phase('v0.1.0', 'hello-prod')).toBe('WaitingForApproval');
      await handle.executeUpdate(cancelReleaseUpdate, { args: [{ by: 'bob' }] });
      await handle.result();
      expect(release.status.phase).toBe('Cancelled');
      await eventually(() => release.zones.phase('v0.1.0', 'hello-prod')).toBe('Cancelled');
      expect(harness.callInputs('writePromotion').map(({ zone }) => zone)).toEqual(['hello-rc']);
      // The workflows of the zones outlive the Release that started them.
      const zoneWorkflows = ['hello-rc', 'hello-prod'].map(
        async (zone) => await getZoneWorkflow(harness, zone).describe(),
      );
      expect((await Promise.all(zoneWorkflows)).map(({ status }) => status.name)).toEqual(['RUNNING', 'RUNNING']);
    });
  });

  it('is cancelled even when the zone’s workflow has ended', async () => {
    const release = new ReleaseFixture();
    await withWorkflowHarness(release.activities, async (harness) => {
      const handle = await startRelease(harness);
      await eventually(() => release.zones.phase('v0.1.0', 'hello-prod')).toBe('WaitingForApproval');
      await getZoneWorkflow(harness, 'hello-prod').terminate();
      await handle.executeUpdate(cancelReleaseUpdate, { args: [{ by: 'bob' }] });
      expect(release.status.phase).toBe('Cancelled');
    });
  });

  it.each<[string, Omit<PromotionReport, 'zone'>]>([
    ['an earlier attempt', { phase: 'Verified', digest: 'sha256:1', releaseAttempt: 'earlier' }],
    ['a person', { phase: 'Verified', digest: 'sha256:0' }],
  ])('does not skip a zone that reports the promotion of %s during the build', async (_, report) => {
    const release = new ReleaseFixture();
    const built = Promise.withResolvers<{ outcome: 'built'; digest: string }>();
    const buildImage = async () => await built.promise;
    await withWorkflowHarness({ ...release.activities, buildImage }, async (harness) => {
      const handle = await startRelease(harness);
      await eventually(() => harness.calledActivities()).toContain('buildImage');
      await handle.signal(promotionFinishedSignal, { zone: 'hello-rc', ...report });
      await waitUntilSignalSeen(handle);
      built.resolve({ outcome: 'built', digest: 'sha256:1' });
      await eventually(() => release.zones.phase('v0.1.0', 'hello-prod')).toBe('WaitingForApproval');
      expect(harness.callInputs('writePromotion')).toMatchObject([{ zone: 'hello-rc', digest: 'sha256:1' }]);
    });
  });

  it('takes the report of a worker that names neither the attempt nor the image', async () => {
    const release = new ReleaseFixture();
    holdUnhealthy(release.zones, '1');
    const { waitForZoneHealth } = release.zones.activities;
    await withWorkflowHarness(
      { ...release.activities, ...(waitForZoneHealth && { waitForZoneHealth }) },
      async (harness) => {
        const handle = await startRelease(harness);
        await eventually(() => release.zones.phase('v0.1.0', 'hello-rc')).toBe('Deploying');
        await handle.signal(promotionFinishedSignal, { zone: 'hello-rc', phase: 'Failed' });
        await handle.result();
        expect(release.status).toMatchObject({ phase: 'Failed', failure: { resource: 'zone hello-rc' } });
      },
    );
  });

  it('runs in every zone with its own image when it starts again during the promotion of an earlier one', async () => {
    const release = new ReleaseFixture();
    const { letHealthy } = holdUnhealthy(release.zones, '1');
    const { waitForZoneHealth } = release.zones.activities;
    let builds = 0;
    const buildImage = async () => ({ outcome: 'built' as const, digest: `sha256:${(builds += 1)}` });
    const activities = { ...release.activities, buildImage, ...(waitForZoneHealth && { waitForZoneHealth }) };
    await withWorkflowHarness(activities, async (harness) => {
      const earlier = await startRelease(harness);
      await eventually(() => release.zones.phase('v0.1.0', 'hello-rc')).toBe('Deploying');
      await earlier.executeUpdate(cancelReleaseUpdate, { args: [{ by: 'bob' }] });
      await earlier.result();
      const handle = await startRelease(harness);
      const readQueue = async () => (await getZoneWorkflow(harness, 'hello-rc').query(zoneProgressQuery)).queue;
      await eventually(readQueue).toEqual(['hello-v0.1.0']);
      letHealthy();
      await eventually(() => release.zones.phase('v0.1.0', 'hello-prod')).toBe('WaitingForApproval');
      await getZoneWorkflow(harness, 'hello-prod').executeUpdate(approvePromotionUpdate, { args: [decision] });
      await handle.result();
      expect(release.status.phase).toBe('Succeeded');
      expect(harness.callInputs('writePromotion').map(({ zone, digest }) => [zone, digest])).toEqual([
        ['hello-rc', 'sha256:1'],
        ['hello-rc', 'sha256:2'],
        ['hello-prod', 'sha256:2'],
      ]);
    });
  });

  it('is not cancelled by the end of an earlier attempt that a person has cancelled', async () => {
    const release = new ReleaseFixture();
    const written = Promise.withResolvers<void>();
    let writes = 0;
    const writePromotion: Activities['writePromotion'] = async () => {
      writes += 1;
      // The first write learns of its cancellation late, like one between two heartbeats.
      if (writes === 1) {
        await written.promise;
        await Context.current().cancelled;
      }
      return { outcome: 'promoted', gitopsCommit: 'g1', mergedAt: new Date().toISOString() };
    };
    await withWorkflowHarness({ ...release.activities, writePromotion }, async (harness) => {
      const earlier = await startRelease(harness);
      await eventually(() => writes).toBe(1);
      await earlier.executeUpdate(cancelReleaseUpdate, { args: [{ by: 'bob' }] });
      await earlier.result();
      await startRelease(harness);
      const readQueue = async () => (await getZoneWorkflow(harness, 'hello-rc').query(zoneProgressQuery)).queue;
      await eventually(readQueue).toEqual(['hello-v0.1.0']);
      written.resolve();
      await eventually(() => release.zones.phase('v0.1.0', 'hello-prod')).toBe('WaitingForApproval');
      expect(release.status.phase).toBe('Promoting');
      expect(release.zones.phaseHistory).toContain('v0.1.0 Cancelled');
      expect(writes).toBe(2);
    });
  });

  it('returns the reason when it cannot be opened, also to the caller who waits for its name', async () => {
    const release = new ReleaseFixture();
    const opening = Promise.withResolvers<void>();
    const openRelease = async () => {
      await opening.promise;
      throw new ServiceError('conflict', 'The commit c0ffee is released as v0.0.9 already.');
    };
    await withWorkflowHarness({ ...release.activities, openRelease }, async (harness) => {
      const handle = await startRelease(harness);
      const waiting = await handle.startUpdate(waitForReleaseUpdate, { waitForStage: 'ACCEPTED' });
      opening.resolve();
      const failure = { cause: { type: 'conflict', message: 'The commit c0ffee is released as v0.0.9 already.' } };
      await expect(waiting.result()).rejects.toMatchObject(failure);
      await expect(handle.result()).rejects.toMatchObject(failure);
    });
  });

  it('finishes as Cancelled when Temporal cancels the whole workflow', async () => {
    const release = new ReleaseFixture();
    await withWorkflowHarness(release.activities, async (harness) => {
      const handle = await startRelease(harness);
      await eventually(() => release.zones.phase('v0.1.0', 'hello-prod')).toBe('WaitingForApproval');
      await handle.cancel();
      await handle.result().catch(() => undefined);
      expect(release.status).toMatchObject({ phase: 'Cancelled', finishedAt: expect.any(String) });
      await eventually(() => release.zones.phase('v0.1.0', 'hello-prod')).toBe('Cancelled');
    });
  });

  it('has succeeded when it is cancelled after its last zone was verified', async () => {
    const release = new ReleaseFixture();
    const recorded = Promise.withResolvers<void>();
    const { recordRelease = async () => {} } = release.activities;
    let successes = 0;
    const activities: Partial<Activities> = {
      ...release.activities,
      readZone: async () => ({ requiresApproval: false, running: undefined }),
      recordRelease: async (record) => {
        const isSuccess = record.patch.phase === 'Succeeded';
        if (isSuccess) successes += 1;
        // The cancellation arrives while the first record of the result is still being written.
        if (isSuccess && successes === 1) await recorded.promise;
        await recordRelease(record);
      },
    };
    await withWorkflowHarness(activities, async (harness) => {
      const handle = await startRelease(harness, { workflowTaskTimeout: shortTaskTimeout });
      await eventually(() => successes).toBe(1);
      await handle.cancel();
      await handle.result().catch(() => undefined);
      expect(release.status).toMatchObject({ phase: 'Succeeded', finishedAt: expect.any(String) });
      recorded.resolve();
    });
  });

  it('starts the runs of its tag even when it is cancelled just after the tag', async () => {
    const release = new ReleaseFixture();
    const run = new ChangeFixture({
      steps: [{ name: 'write', type: 'agent', role: 'release-writer', mode: 'report' }],
      turn: () => buildTurnOutcome('done'),
    });
    const found = Promise.withResolvers<string[]>();
    const releaseRuns: string[] = [];
    const activities: Partial<Activities> = {
      ...run.activities,
      ...release.activities,
      findReleaseTriggers: async () => await found.promise,
      reserveReleaseRuns: async ({ workflowIds }) => workflowIds.length,
      recordReleaseRun: async ({ releaseRun }) => void releaseRuns.push(releaseRun.agentWorkflow),
    };
    await withWorkflowHarness(activities, async (harness) => {
      const handle = await startRelease(harness);
      await eventually(() => harness.calledActivities()).toContain('findReleaseTriggers');
      await handle.cancel();
      await handle.result().catch(() => undefined);
      expect(release.status.phase).toBe('Cancelled');
      expect(releaseRuns).toEqual([]);
      found.resolve(['go-to-market']);
      await eventually(() => releaseRuns).toEqual(['go-to-market']);
    });
  });
});
