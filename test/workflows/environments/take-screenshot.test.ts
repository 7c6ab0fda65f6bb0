import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { arrive, takeScreenshotId } from '../../../workflows/environments/messages.ts';
import { AZone, anArrival, startKeeper } from '../../support/a-zone.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';
import type { WorkflowWorld } from '../../support/workflow-world.ts';

const take = async (world: WorkflowWorld, pace?: { takenUpWithinMs: number }) => {
  const ref = { org: world.taskQueue, product: 'hello', zone: 'hello-rc', release: 'hello-v0.1.0' };
  const input = { ...ref, ...(pace && { pace }) };
  return { ref, taking: await world.start('takeScreenshot', input, { workflowId: takeScreenshotId(input) }) };
};
const keepPlaceholder = async () => ({ outcome: 'failed' }) as const;

describeWithTemporal('takeScreenshot', () => {
  it('is taken up by a worker of the browser’s queue', async () => {
    const keepScreenshot = async () => ({ outcome: 'taken' }) as const;
    await onTemporal({ keepScreenshot }, async (world) => {
      const { ref, taking } = await take(world);
      expect(await taking.result()).toEqual({ outcome: 'taken' });
      expect(world.calls('keepScreenshot')).toEqual([ref]);
    });
  });

  it('says so in the picture’s place when no worker has a browser', async () => {
    await onTemporal({ keepPlaceholder }, async (world) => {
      const { ref, taking } = await take(world, { takenUpWithinMs: 200 });
      expect(await taking.result()).toEqual({ outcome: 'failed' });
      expect(world.calls('keepPlaceholder')).toEqual([
        { ...ref, why: expect.stringContaining('No worker with a browser took it up.') },
      ]);
    });
  });

  it('says so too when the worker cannot', async () => {
    const keepScreenshot = async () => {
      throw ApplicationFailure.nonRetryable('The disk is full.');
    };
    await onTemporal({ keepScreenshot, keepPlaceholder }, async (world) => {
      const { taking } = await take(world);
      await taking.result();
      expect(world.calls('keepPlaceholder')).toMatchObject([{ why: expect.stringContaining('The disk is full.') }]);
    });
  });

  it('holds no promotion up: the zone is verified while nobody has a browser, and takes the next Release', async () => {
    const zone = new AZone();
    const { keepScreenshot: _, ...activities } = zone.activities;
    await onTemporal(activities, async (world) => {
      const keeper = await startKeeper(world);
      for (const version of ['v0.1.0', 'v0.2.0']) {
        await keeper.signal(arrive, anArrival(version, 'promote-release/nobody'));
        await eventually(() => zone.phase(version)).toBe('Verified');
      }
    });
  });

  it('is begun once a Release is Healthy, also where its smoke check fails, and not before', async () => {
    const zone = new AZone();
    let healthy = true;
    await onTemporal(
      {
        ...zone.activities,
        awaitHealthy: async () =>
          healthy
            ? { outcome: 'healthy', healthyAt: new Date().toISOString() }
            : { outcome: 'failed', why: 'It restarts.' },
        smokeCheck: async () => ({ outcome: 'failed', why: 'It answered 500.', answer: { url: 'http://hello-rc/' } }),
      },
      async (world) => {
        const keeper = await startKeeper(world);
        await keeper.signal(arrive, anArrival('v0.1.0', 'promote-release/nobody'));
        await eventually(() => zone.phase('v0.1.0')).toBe('Failed');
        await eventually(() => world.calls('keepScreenshot').map(({ release }) => release)).toEqual(['hello-v0.1.0']);
        healthy = false;
        await keeper.signal(arrive, anArrival('v0.2.0', 'promote-release/nobody'));
        await eventually(() => zone.phase('v0.2.0')).toBe('Failed');
        expect(world.calls('keepScreenshot')).toHaveLength(1);
      },
    );
  });
});
