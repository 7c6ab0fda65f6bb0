import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { ReleaseStatus } from '../../../src/rules/releases/kinds.ts';
import { approvePromotion, keepEnvironmentId, rejectPromotion } from '../../../workflows/environments/messages.ts';
import {
  cancelRelease,
  promoteReleaseId,
  releaseOpened,
  releaseProgress,
} from '../../../workflows/releases/messages.ts';
import { AChange } from '../../support/a-change.ts';
import { AZone } from '../../support/a-zone.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';
import { untilCancelled } from '../../support/until-cancelled.ts';
import type { WorkflowWorld } from '../../support/workflow-world.ts';

const zones = ['hello-rc', 'hello-prod'];
const decision = { release: 'hello-v0.1.0', by: 'bob', role: 'member' };

/** A Release through two zones, of which production asks for approval. */
class ARelease {
  readonly zones = new AZone();
  readonly activities: Partial<Activities>;
  status: ReleaseStatus = { phase: 'Building', zones: [] };

  constructor() {
    this.activities = {
      ...this.zones.activities,
      readZone: async ({ zone }) => ({ asksApproval: zone === 'hello-prod', running: undefined }),
      openRelease: async () => ({ release: 'hello-v0.1.0', version: 'v0.1.0', zones }),
      recordRelease: async ({ patch }) => void (this.status = { ...this.status, ...patch }),
      buildImage: async () => ({ outcome: 'built', digest: 'sha256:1' }),
      tagRelease: async () => ({ url: 'http://host/releases/v0.1.0' }),
      matchReleaseCut: async () => [],
    };
  }
}

async function startRelease(world: WorkflowWorld) {
  const input = { org: world.taskQueue, product: 'hello', repo: 'acme/hello', commit: 'c0ffee', startedBy: 'ada' };
  return await world.start('promoteRelease', input, { workflowId: promoteReleaseId(input) });
}

const keeperOf = (world: WorkflowWorld, zone: string) =>
  world.client.workflow.getHandle(keepEnvironmentId({ org: world.taskQueue, product: 'hello', zone }));

describeWithTemporal('promoteRelease', () => {
  it('builds and tags once, then goes from zone to zone until production is verified', async () => {
    const release = new ARelease();
    await onTemporal(release.activities, async (world) => {
      const handle = await startRelease(world);
      expect(await handle.executeUpdate(releaseOpened)).toEqual({ release: 'hello-v0.1.0' });
      await eventually(() => release.zones.phase('v0.1.0', 'hello-prod')).toBe('WaitingForApproval');
      expect(release.zones.phase('v0.1.0', 'hello-rc')).toBe('Verified');
      expect(await handle.query(releaseProgress)).toEqual({ phase: 'Promoting', zone: 'hello-prod' });

      await keeperOf(world, 'hello-prod').executeUpdate(approvePromotion, { args: [decision] });
      await handle.result();
      expect(release.status).toMatchObject({
        phase: 'Succeeded',
        digest: 'sha256:1',
        url: 'http://host/releases/v0.1.0',
        builtAt: expect.any(String),
        taggedAt: expect.any(String),
        finishedAt: expect.any(String),
      });
      expect(world.called().filter((name) => ['buildImage', 'tagRelease', 'promoteInGitops'].includes(name))).toEqual([
        'buildImage',
        'tagRelease',
        'promoteInGitops',
        'promoteInGitops',
      ]);
    });
  });

  it('fails without a tag when the build fails', async () => {
    const release = new ARelease();
    const buildImage = async () => ({ outcome: 'failed', reason: 'npm test: 1 of 4 failed.' }) as const;
    await onTemporal({ ...release.activities, buildImage }, async (world) => {
      await (await startRelease(world)).result();
      expect(release.status).toMatchObject({
        phase: 'Failed',
        failure: { reason: 'npm test: 1 of 4 failed.', resource: 'build of hello-v0.1.0', fix: expect.any(String) },
      });
      expect(world.called()).not.toContain('tagRelease');
      expect(world.called()).not.toContain('recordZone');
    });
  });

  it('fails with what a person can mend when the tag is refused', async () => {
    const release = new ARelease();
    const tagRelease = async () => {
      throw new ServiceError('conflict', 'The tag v0.1.0 is at another commit. Delete it.');
    };
    await onTemporal({ ...release.activities, tagRelease }, async (world) => {
      await (await startRelease(world)).result();
      expect(release.status).toMatchObject({
        phase: 'Failed',
        failure: { reason: 'The tag v0.1.0 is at another commit. Delete it.' },
      });
      expect(release.status).not.toHaveProperty('taggedAt');
    });
  });

  it('ends where a zone rejects it, and goes no further', async () => {
    const release = new ARelease();
    await onTemporal(release.activities, async (world) => {
      const handle = await startRelease(world);
      await eventually(() => release.zones.phase('v0.1.0', 'hello-prod')).toBe('WaitingForApproval');
      await keeperOf(world, 'hello-prod').executeUpdate(rejectPromotion, { args: [decision] });
      await handle.result();
      expect(release.status).toMatchObject({
        phase: 'Failed',
        failure: { reason: 'The promotion to hello-prod was rejected.', resource: 'zone hello-prod' },
      });
    });
  });

  it('is cancelled while it builds, before there is a tag', async () => {
    const release = new ARelease();
    await onTemporal({ ...release.activities, buildImage: untilCancelled }, async (world) => {
      const handle = await startRelease(world);
      await eventually(() => world.called()).toContain('buildImage');
      await handle.executeUpdate(cancelRelease, { args: [{ by: 'bob' }] });
      await handle.result();
      expect(release.status).toMatchObject({ phase: 'Cancelled', finishedAt: expect.any(String) });
      expect(world.called()).not.toContain('tagRelease');
    });
  });

  it('leaves the queue of the zone it waits for when it is cancelled', async () => {
    const release = new ARelease();
    await onTemporal(release.activities, async (world) => {
      const handle = await startRelease(world);
      await eventually(() => release.zones.phase('v0.1.0', 'hello-prod')).toBe('WaitingForApproval');
      await handle.executeUpdate(cancelRelease, { args: [{ by: 'bob' }] });
      await handle.result();
      expect(release.status.phase).toBe('Cancelled');
      await eventually(() => release.zones.phase('v0.1.0', 'hello-prod')).toBe('Cancelled');
      expect(world.calls('promoteInGitops').map(({ zone }) => zone)).toEqual(['hello-rc']);
      // The zones' keepers were started for it, and are not its own.
      const keepers = ['hello-rc', 'hello-prod'].map(async (zone) => await keeperOf(world, zone).describe());
      expect((await Promise.all(keepers)).map(({ status }) => status.name)).toEqual(['RUNNING', 'RUNNING']);
    });
  });

  it('is cancelled also where the keeper of its zone is gone', async () => {
    const release = new ARelease();
    await onTemporal(release.activities, async (world) => {
      const handle = await startRelease(world);
      await eventually(() => release.zones.phase('v0.1.0', 'hello-prod')).toBe('WaitingForApproval');
      await keeperOf(world, 'hello-prod').terminate();
      await handle.executeUpdate(cancelRelease, { args: [{ by: 'bob' }] });
      expect(release.status.phase).toBe('Cancelled');
    });
  });

  it('starts what waits for its tag once for the version, and records the runs', async () => {
    const release = new ARelease();
    const run = new AChange({ steps: [{ name: 'write', type: 'agent', role: 'release-writer', mode: 'report' }] });
    const cutRuns: { agentWorkflow: string; run: string }[] = [];
    const activities: Partial<Activities> = {
      ...run.activities,
      ...release.activities,
      // The store forgets which were started, as it would between the start and the record.
      matchReleaseCut: async () => ['go-to-market'],
      recordCutRun: async ({ cutRun }) => void cutRuns.push(cutRun),
      buildImage: async () => ({ outcome: 'built', digest: 'sha256:1' }),
      openRelease: async () => ({ release: 'hello-v0.1.0', version: 'v0.1.0', zones: [] }),
    };
    await onTemporal(activities, async (world) => {
      await (await startRelease(world)).result();
      await eventually(() => run.phase()).toBe('Succeeded');
      expect(cutRuns).toEqual([{ agentWorkflow: 'go-to-market', run: run.run }]);
      expect(world.calls('openRun')).toEqual([
        expect.objectContaining({
          workflowId: `run-agent-workflow/${world.taskQueue}/go-to-market/hello@v0.1.0`,
          release: 'hello-v0.1.0',
          startedBy: 'Release v0.1.0',
        }),
      ]);
      const order = world.called().filter((name) => ['tagRelease', 'matchReleaseCut', 'openRun'].includes(name));
      expect(order).toEqual(['tagRelease', 'matchReleaseCut', 'openRun']);

      await (await startRelease(world)).result();
      expect(world.calls('matchReleaseCut')).toHaveLength(2);
      expect(world.calls('openRun')).toHaveLength(1);
      expect(cutRuns).toHaveLength(1);
    });
  });

  it('says why it could not be opened', async () => {
    const release = new ARelease();
    const openRelease = async () => {
      throw new ServiceError('conflict', 'The commit c0ffee is released as v0.0.9 already.');
    };
    await onTemporal({ ...release.activities, openRelease }, async (world) => {
      await expect((await startRelease(world)).result()).rejects.toMatchObject({
        cause: { type: 'conflict', message: 'The commit c0ffee is released as v0.0.9 already.' },
      });
    });
  });
});
