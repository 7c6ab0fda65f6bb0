import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import {
  approvePromotion,
  arrive,
  environmentProgress,
  rejectPromotion,
  remove,
  withdraw,
} from '../../../workflows/environments/messages.ts';
import { AZone, anArrival, startKeeper } from '../../support/a-zone.ts';
import { hastyServer } from '../../support/hasty-server.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';

// Nobody has this id: a Release that has ended needs no word of its zone.
const nobody = 'promote-release/nobody';
const decisionOn = (version: string) => ({ release: `hello-${version}`, by: 'bob', role: 'member' });

describeWithTemporal('keepEnvironment', () => {
  it('brings a Release in, step by step, and verifies it', async () => {
    const zone = new AZone();
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.history.map((line) => line.split(' ')[1])).toEqual([
        'Promoting',
        'Deploying',
        'Healthy',
        'Verifying',
        'Verified',
      ]);
      expect(world.calls('promoteInGitops')).toEqual([
        expect.objectContaining({ release: 'hello-v0.1.0', digest: 'sha256:v0.1.0', commit: 'commit-of-v0.1.0' }),
      ]);
      expect(zone.of('v0.1.0')).toMatchObject({ gitopsCommit: 'g1', smokeCheck: { url: 'http://hello-rc/' } });
      await eventually(async () => await keeper.query(environmentProgress)).toEqual({ phase: 'Idle', waiting: [] });
    });
  });

  it('waits for approval where the zone asks for it, and does nothing before', async () => {
    const zone = new AZone({ asksApproval: true });
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      expect(zone.of('v0.1.0')?.waitingFor).toMatchObject({ role: 'member', what: 'approve v0.1.0 for hello-rc' });
      await expect(keeper.executeUpdate(approvePromotion, { args: [decisionOn('v0.2.0')] })).rejects.toMatchObject({
        cause: { type: 'conflict', message: expect.stringContaining('does not wait') },
      });
      expect(world.called()).not.toContain('promoteInGitops');

      await keeper.executeUpdate(approvePromotion, { args: [decisionOn('v0.1.0')] });
      expect(zone.of('v0.1.0')?.decision).toMatchObject({ by: 'bob', outcome: 'approved' });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.of('v0.1.0')).not.toHaveProperty('waitingFor');
    });
  });

  it('leaves out a rejected Release and says who rejected it', async () => {
    const zone = new AZone({ asksApproval: true });
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      const decision = { ...decisionOn('v0.1.0'), note: 'Not before Monday.' };
      await keeper.executeUpdate(rejectPromotion, { args: [decision] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Rejected');
      expect(zone.of('v0.1.0')).toMatchObject({
        failure: { reason: 'bob rejected it: Not before Monday.' },
        decision: { outcome: 'rejected', note: 'Not before Monday.' },
      });
      expect(world.called()).not.toContain('promoteInGitops');
    });
  });

  it('supersedes a Release that waits when a newer one comes, which then waits itself', async () => {
    const zone = new AZone({ asksApproval: true });
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(arrive, anArrival('v0.9.0', nobody));
      await eventually(() => zone.phase('v0.9.0')).toBe('WaitingForApproval');
      await keeper.signal(arrive, anArrival('v0.10.0', nobody));
      await eventually(() => zone.phase('v0.10.0')).toBe('WaitingForApproval');
      expect(zone.phase('v0.9.0')).toBe('Superseded');
      await expect(keeper.executeUpdate(approvePromotion, { args: [decisionOn('v0.9.0')] })).rejects.toMatchObject({
        cause: { type: 'conflict' },
      });
    });
  });

  it('never lets an older Release in by itself, whether it comes late or waited', async () => {
    const zone = new AZone({ asksApproval: true });
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(arrive, anArrival('v0.2.0', nobody));
      await eventually(() => zone.phase('v0.2.0')).toBe('WaitingForApproval');
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await keeper.executeUpdate(approvePromotion, { args: [decisionOn('v0.2.0')] });
      await eventually(() => zone.phase('v0.2.0')).toBe('Verified');
      await eventually(() => zone.phase('v0.1.0')).toBe('Superseded');
      await keeper.signal(arrive, anArrival('v0.1.1', nobody));
      await eventually(() => zone.phase('v0.1.1')).toBe('Superseded');
      expect(world.calls('promoteInGitops')).toHaveLength(1);
    });
  });

  it('fails a Release whose app does not answer well, with what it answered, and takes the next one', async () => {
    const zone = new AZone();
    let isWell = false;
    const smokeCheck = async () => {
      const answer = { url: 'http://hello-rc/', status: isWell ? 200 : 500 };
      return { outcome: isWell ? 'passed' : 'failed', why: 'http://hello-rc/ answered 500.', answer } as const;
    };
    await onTemporal({ ...zone.activities, smokeCheck }, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.phase('v0.1.0')).toBe('Failed');
      expect(zone.of('v0.1.0')).toMatchObject({
        smokeCheck: { status: 500 },
        failure: { reason: 'http://hello-rc/ answered 500.', resource: 'zone hello-rc', fix: expect.any(String) },
      });
      isWell = true;
      await keeper.signal(arrive, anArrival('v0.1.1', nobody));
      await eventually(() => zone.phase('v0.1.1')).toBe('Verified');
    });
  });

  it('fails a Release that does not get healthy, or that the gitops repo refuses', async () => {
    const zone = new AZone();
    const awaitHealthy = async () => ({ outcome: 'failed', why: 'It restarts again and again.' }) as const;
    const promoteInGitops: typeof zone.activities.promoteInGitops = async ({ version }) => {
      if (version === 'v0.2.0') throw new ServiceError('forbidden', 'The branch main is protected.');
      return { outcome: 'promoted', gitopsCommit: 'g1', mergedAt: new Date().toISOString() };
    };
    await onTemporal({ ...zone.activities, awaitHealthy, promoteInGitops }, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.phase('v0.1.0')).toBe('Failed');
      expect(zone.of('v0.1.0')?.failure?.reason).toBe('It restarts again and again.');
      await keeper.signal(arrive, anArrival('v0.2.0', nobody));
      await eventually(() => zone.phase('v0.2.0')).toBe('Failed');
      expect(zone.of('v0.2.0')?.failure?.reason).toBe('The branch main is protected.');
    });
  });

  it('forgets a withdrawn Release, and supersedes nothing for its sake', async () => {
    const zone = new AZone();
    let isDeployed = (): void => {};
    const deployed = new Promise<void>((resolve) => (isDeployed = resolve));
    const awaitHealthy = async () => {
      await deployed;
      return { outcome: 'healthy', healthyAt: new Date().toISOString() } as const;
    };
    await onTemporal({ ...zone.activities, awaitHealthy }, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.phase('v0.1.0')).toBe('Deploying');
      await keeper.signal(arrive, anArrival('v0.2.0', nobody));
      await keeper.signal(arrive, anArrival('v0.3.0', nobody));
      await keeper.signal(withdraw, { release: 'hello-v0.3.0', by: 'bob' });
      await eventually(() => zone.phase('v0.3.0')).toBe('Cancelled');
      expect(await keeper.query(environmentProgress)).toMatchObject({ release: 'hello-v0.1.0', phase: 'Deploying' });
      isDeployed();
      await eventually(() => zone.phase('v0.2.0')).toBe('Verified');
    });
  });

  it('takes a Release in that comes back after it was withdrawn', async () => {
    const zone = new AZone();
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(withdraw, { release: 'hello-v0.1.0', by: 'bob' });
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
    });
  });

  it('knows who waits when it goes on as new', async () => {
    const zone = new AZone();
    const address = await hastyServer(15);
    await onTemporal(
      zone.activities,
      async (world) => {
        const keeper = await startKeeper(world);
        const latest = world.client.workflow.getHandle(keeper.workflowId);
        for (const version of ['v0.1.0', 'v0.2.0', 'v0.3.0']) {
          await latest.signal(arrive, anArrival(version, nobody));
          await eventually(() => zone.phase(version)).toBeDefined();
        }
        await eventually(() => zone.phase('v0.3.0')).toBe('Verified');
        await eventually(async () => (await latest.describe()).runId).not.toBe(keeper.firstExecutionRunId);
        await latest.signal(remove, { by: 'bob', tell: 'delete-product/nobody' });
        await keeper.result();
        expect(world.calls('promoteInGitops').map(({ version }) => version)).toEqual(['v0.1.0', 'v0.2.0', 'v0.3.0']);
      },
      address,
    );
  });

  it('does the same arrival once', async () => {
    const zone = new AZone({ asksApproval: true });
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      for (let time = 0; time < 3; time += 1) await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await keeper.executeUpdate(approvePromotion, { args: [decisionOn('v0.1.0')] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      await setTimeout(50);
      expect(world.calls('promoteInGitops')).toHaveLength(1);
    });
  });

  it('takes the zone down and ends, while a Release waits', async () => {
    const zone = new AZone({ asksApproval: true });
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      await keeper.signal(remove, { by: 'bob', tell: 'delete-product/nobody' });
      await keeper.result();
      expect(zone.phase('v0.1.0')).toBe('Cancelled');
      expect(world.calls('removeZone')).toEqual([expect.objectContaining({ zone: 'hello-rc' })]);
    });
  });
});
