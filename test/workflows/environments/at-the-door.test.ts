import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { speaking } from '../../../api/temporal.ts';
import {
  approvePromotion,
  arrive,
  environmentProgress,
  freeze,
  promote,
  unfreeze,
  withdraw,
} from '../../../workflows/environments/messages.ts';
import { AZone, anArrival, startKeeper } from '../../support/a-zone.ts';
import { hastyServer } from '../../support/hasty-server.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';

const nobody = 'promote-release/nobody';
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const frozen = (more: { until?: string } = {}) => ({ reason: 'Sale.', by: 'ada', since: inMs(0), ...more });
const byHand = (version: string) => ({ arrival: anArrival(version, nobody), by: 'bob', role: 'member' });

describeWithTemporal('the door of a zone', () => {
  it('holds a Release up while the zone is frozen, says who froze it and why, and lets it in once unfrozen', async () => {
    const zone = new AZone();
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.executeUpdate(freeze, { args: [frozen()] });
      expect(zone.state.freeze).toMatchObject({ by: 'ada', reason: 'Sale.' });
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.of('v0.1.0')?.waitingFor?.what).toBe('unfreeze hello-rc: ada froze it: Sale.');
      expect(zone.phase('v0.1.0')).toBe('Pending');
      expect(world.called()).not.toContain('promoteInGitops');
      await keeper.executeUpdate(unfreeze, { args: [{ by: 'ada' }] });
      expect(zone.state.freeze).toBeNull();
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.of('v0.1.0')).not.toHaveProperty('waitingFor');
    });
  });

  it('opens by itself when a freeze runs out, of an idle zone too and also when the end was moved', async () => {
    const zone = new AZone();
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.executeUpdate(freeze, { args: [frozen({ until: inMs(500) })] });
      await eventually(() => zone.state.freeze).toBeNull();

      await keeper.executeUpdate(freeze, { args: [frozen({ until: inMs(3_600_000) })] });
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.phase('v0.1.0')).toBe('Pending');
      await keeper.executeUpdate(freeze, { args: [frozen({ until: inMs(500) })] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.state.freeze).toBeNull();
    });
  });

  it('asks for approval although it is frozen, and lets the approved one in after the freeze without asking again', async () => {
    const zone = new AZone({ asksApproval: true });
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.executeUpdate(freeze, { args: [frozen()] });
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      const approval = { release: 'hello-v0.1.0', by: 'bob', role: 'member' };
      await keeper.executeUpdate(approvePromotion, { args: [approval] });
      await eventually(() => zone.of('v0.1.0')?.waitingFor?.what).toContain('unfreeze hello-rc');
      await keeper.executeUpdate(unfreeze, { args: [{ by: 'ada' }] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.history.filter((line) => line.endsWith('WaitingForApproval'))).toHaveLength(1);
    });
  });

  it('asks for approval where the zone has come to ask for it while a freeze held the Release up', async () => {
    const zone = new AZone();
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.executeUpdate(freeze, { args: [frozen()] });
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.phase('v0.1.0')).toBe('Pending');
      zone.asksApproval = true;
      await keeper.executeUpdate(unfreeze, { args: [{ by: 'ada' }] });
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      expect(world.called()).not.toContain('promoteInGitops');
    });
  });

  it('knows its freeze, its hold and what was approved when it goes on as new', async () => {
    const zone = new AZone({ asksApproval: true });
    zone.running = { release: 'hello-v0.2.0', version: 'v0.2.0' };
    const address = await hastyServer(25);
    await onTemporal(
      zone.activities,
      async (world) => {
        const keeper = await startKeeper(world);
        const latest = world.client.workflow.getHandle(keeper.workflowId);
        // What comes when it is just going on as new is not taken, and sent again.
        const ask = async (call: () => Promise<void>): Promise<void> => await speaking(world.client, call);
        const goesOn = async (): Promise<void> => {
          const { runId } = await latest.describe();
          // With pauses: what comes all the time keeps a workflow from going on as new.
          for (; (await latest.describe()).runId === runId; await setTimeout(100))
            await latest.signal(withdraw, { release: 'nothing', by: 'ada' });
        };
        await ask(() => latest.executeUpdate(promote, { args: [byHand('v0.1.0')] }));
        await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
        await ask(() => latest.executeUpdate(freeze, { args: [frozen()] }));
        await goesOn();
        await latest.signal(arrive, anArrival('v0.3.0', nobody));
        await eventually(() => zone.of('v0.3.0')?.waitingFor?.what).toContain('by hand: bob brought v0.1.0 back');
        await goesOn();
        await eventually(async () => await latest.query(environmentProgress)).toMatchObject({
          release: 'hello-v0.3.0',
        });
        await expect(ask(() => latest.executeUpdate(promote, { args: [byHand('v0.3.0')] }))).rejects.toMatchObject({
          message: expect.stringContaining('ada froze the zone'),
        });
        await ask(() => latest.executeUpdate(unfreeze, { args: [{ by: 'ada' }] }));
        await ask(() => latest.executeUpdate(promote, { args: [byHand('v0.3.0')] }));
        await eventually(() => zone.phase('v0.3.0')).toBe('Verified');
        expect(zone.state.hold).toBeNull();
      },
      address,
    );
  });
});
