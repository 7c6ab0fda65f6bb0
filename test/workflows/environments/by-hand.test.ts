import { Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import {
  applySettings,
  arrive,
  environmentProgress,
  freeze,
  promote,
  remove,
} from '../../../workflows/environments/messages.ts';
import { AZone, anArrival, startKeeper } from '../../support/a-zone.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';
import type { WorkflowWorld } from '../../support/workflow-world.ts';

const nobody = 'promote-release/nobody';
const byHand = (version: string, more: { despiteFreeze?: boolean; note?: string } = {}) => ({
  arrival: anArrival(version, nobody),
  by: 'bob',
  role: 'member',
  ...more,
});
const promoted = (world: WorkflowWorld): string[] => world.calls('promoteInGitops').map(({ version }) => version);

/** A zone in which these versions never get healthy until they are let. */
function holdUp(zone: AZone, ...versions: string[]): { letHealthy: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  zone.activities.awaitHealthy = async ({ digest }) => {
    if (versions.some((version) => digest === `sha256:${version}`))
      await Promise.race([promise, Context.current().cancelled]);
    return { outcome: 'healthy', healthyAt: new Date().toISOString() };
  };
  return { letHealthy: resolve };
}

describeWithTemporal('a promotion by hand', () => {
  it('of an older version holds newer ones until a person promotes the newest', async () => {
    const zone = new AZone();
    zone.running = { release: 'hello-v0.2.0', version: 'v0.2.0' };
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.executeUpdate(promote, { args: [byHand('v0.1.0', { note: 'It broke.' })] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.of('v0.1.0')?.decision).toMatchObject({ by: 'bob', outcome: 'approved', note: 'It broke.' });
      expect(zone.state.hold).toMatchObject({ version: 'v0.1.0', newest: 'v0.2.0', by: 'bob' });

      await keeper.signal(arrive, anArrival('v0.3.0', nobody));
      await eventually(() => zone.phase('v0.3.0')).toBe('Pending');
      expect(zone.of('v0.3.0')?.waitingFor?.what).toContain('promote v0.3.0 to hello-rc by hand: bob brought v0.1.0');
      // Newer than what runs, but not the newest.
      await keeper.executeUpdate(promote, { args: [byHand('v0.2.0')] });
      await eventually(() => zone.phase('v0.2.0')).toBe('Verified');
      expect(zone.state.hold).toMatchObject({ version: 'v0.2.0', newest: 'v0.3.0' });
      expect(zone.phase('v0.3.0')).toBe('Pending');

      await keeper.executeUpdate(promote, { args: [byHand('v0.3.0')] });
      expect(zone.state.hold).toBeNull();
      await eventually(() => zone.phase('v0.3.0')).toBe('Verified');
      await keeper.signal(arrive, anArrival('v0.4.0', nobody));
      await eventually(() => zone.phase('v0.4.0')).toBe('Verified');
      expect(promoted(world)).toEqual(['v0.1.0', 'v0.2.0', 'v0.3.0', 'v0.4.0']);
    });
  });

  it('goes before what is on its way in, which is superseded, and holds it where that is newer', async () => {
    const zone = new AZone();
    zone.running = { release: 'hello-v0.1.0', version: 'v0.1.0' };
    holdUp(zone, 'v0.2.0');
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(arrive, anArrival('v0.2.0', nobody));
      await eventually(() => zone.phase('v0.2.0')).toBe('Deploying');
      await expect(keeper.executeUpdate(promote, { args: [byHand('v0.2.0')] })).rejects.toMatchObject({
        cause: { type: 'conflict', message: expect.stringContaining('on its way into the zone') },
      });
      await keeper.executeUpdate(promote, { args: [byHand('v0.1.0')] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.phase('v0.2.0')).toBe('Superseded');
      expect(zone.state.hold).toMatchObject({ version: 'v0.1.0', newest: 'v0.2.0' });
    });
  });

  it('of the version before one that failed here holds newer ones too', async () => {
    const zone = new AZone();
    zone.running = { release: 'hello-v0.1.0', version: 'v0.1.0' };
    zone.activities.awaitHealthy = async ({ digest }) =>
      digest === 'sha256:v0.2.0'
        ? { outcome: 'failed', why: 'It ends at once.' }
        : { outcome: 'healthy', healthyAt: new Date().toISOString() };
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(arrive, anArrival('v0.2.0', nobody));
      await eventually(() => zone.phase('v0.2.0')).toBe('Failed');
      await keeper.executeUpdate(promote, { args: [byHand('v0.1.0')] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.state.hold).toMatchObject({ version: 'v0.1.0', newest: 'v0.2.0' });
    });
  });

  it('goes past what waits for approval: the newer one waits on, the older one is superseded', async () => {
    const zone = new AZone({ asksApproval: true });
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      await keeper.executeUpdate(promote, { args: [byHand('v0.2.0')] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Superseded');
      await keeper.signal(arrive, anArrival('v0.4.0', nobody));
      await eventually(() => zone.phase('v0.4.0')).toBe('WaitingForApproval');
      await keeper.executeUpdate(promote, { args: [byHand('v0.3.0')] });
      await eventually(() => zone.phase('v0.3.0')).toBe('Verified');
      await eventually(() => zone.phase('v0.4.0')).toBe('Pending');
      expect(promoted(world)).toEqual(['v0.2.0', 'v0.3.0']);
    });
  });

  it('is refused while the zone is frozen unless it is said to be despite that', async () => {
    const zone = new AZone();
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      const since = new Date().toISOString();
      await keeper.executeUpdate(freeze, { args: [{ reason: 'Sale.', by: 'ada', since }] });
      await expect(keeper.executeUpdate(promote, { args: [byHand('v0.1.0')] })).rejects.toMatchObject({
        cause: { type: 'conflict', message: expect.stringContaining('ada froze the zone "hello-rc": Sale.') },
      });
      await keeper.executeUpdate(promote, { args: [byHand('v0.1.0', { despiteFreeze: true })] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
    });
  });
});

describeWithTemporal('settings of a zone', () => {
  it('are applied while a Release waits for approval, once for all that was asked meanwhile', async () => {
    const zone = new AZone({ asksApproval: true });
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      await keeper.signal(applySettings, { generation: 2 });
      await eventually(() => zone.state.settings).toMatchObject({ generation: 2, phase: 'Applied' });
      expect(zone.phase('v0.1.0')).toBe('WaitingForApproval');
    });
  });

  it('wait for the promotion that is under way, and are applied after it', async () => {
    const zone = new AZone();
    const { letHealthy } = holdUp(zone, 'v0.1.0');
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.phase('v0.1.0')).toBe('Deploying');
      for (const generation of [3, 2]) await keeper.signal(applySettings, { generation });
      await eventually(async () => await keeper.query(environmentProgress)).toMatchObject({ phase: 'Deploying' });
      expect(world.called()).not.toContain('writeZoneSettings');
      letHealthy();
      await eventually(() => zone.state.settings).toMatchObject({ generation: 3, phase: 'Applied' });
      expect(zone.phase('v0.1.0')).toBe('Verified');
      expect(world.calls('writeZoneSettings')).toHaveLength(1);
    });
  });

  it('make way for a promotion by hand, and are applied after it', async () => {
    const zone = new AZone();
    holdUp(zone, 'any');
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(applySettings, { generation: 2 });
      await eventually(() => world.called()).toContain('awaitHealthy');
      await keeper.executeUpdate(promote, { args: [byHand('v0.1.0')] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      await eventually(() => world.calls('writeZoneSettings')).toHaveLength(2);
    });
  });

  it('that cannot be applied say why, and the next Release comes in all the same', async () => {
    const zone = new AZone();
    zone.activities.writeZoneSettings = async () => ({ outcome: 'refused', message: 'The branch main is protected.' });
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(applySettings, { generation: 2 });
      await eventually(() => zone.state.settings).toMatchObject({
        phase: 'Failed',
        message: 'The branch main is protected.',
      });
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
    });
  });
});

describeWithTemporal('the removal of a zone', () => {
  it('breaks off what is on its way in, and turns away what waits and what comes meanwhile', async () => {
    const zone = new AZone();
    holdUp(zone, 'v0.1.0');
    const removing = Promise.withResolvers<void>();
    zone.activities.removeZone = async () => await removing.promise;
    await onTemporal(zone.activities, async (world) => {
      const keeper = await startKeeper(world);
      await keeper.signal(arrive, anArrival('v0.1.0', nobody));
      await eventually(() => zone.phase('v0.1.0')).toBe('Deploying');
      await keeper.signal(arrive, anArrival('v0.2.0', nobody));
      await keeper.signal(remove, { by: 'bob' });
      await eventually(() => world.called()).toContain('removeZone');
      expect([zone.phase('v0.1.0'), zone.phase('v0.2.0')]).toEqual(['Cancelled', 'Cancelled']);
      await keeper.signal(arrive, anArrival('v0.3.0', nobody));
      await expect(keeper.executeUpdate(promote, { args: [byHand('v0.1.0')] })).rejects.toMatchObject({
        cause: { type: 'conflict', message: expect.stringContaining('is being removed') },
      });
      removing.resolve();
      await keeper.result();
      expect(zone.phase('v0.3.0')).toBe('Cancelled');
    });
  });

  it('refuses a promotion by hand that came just before it, and ends', async () => {
    const zone = new AZone();
    await onTemporal(zone.activities, async (world) => {
      const answers: Promise<unknown>[] = [];
      await world.whileDown(async () => {
        const keeper = await startKeeper(world);
        const asked = keeper.executeUpdate(promote, { args: [byHand('v0.1.0')] });
        answers.push(asked.catch((error: unknown) => error));
        await keeper.signal(remove, { by: 'bob' });
        answers.push(keeper.result());
      });
      const [refusal] = await Promise.all(answers);
      expect(refusal).toMatchObject({ cause: { type: 'conflict' } });
      expect(world.called()).toEqual(['removeZone']);
    });
  });

  it('that was told before the first task takes nothing in, in whatever order it came', async () => {
    const zone = new AZone();
    await onTemporal(zone.activities, async (world) => {
      const started: Promise<Awaited<ReturnType<typeof startKeeper>>>[] = [];
      await world.whileDown(async () => {
        const keeper = await startKeeper(world);
        started.push(Promise.resolve(keeper));
        await keeper.signal(arrive, anArrival('v0.1.0', nobody));
        await keeper.signal(applySettings, { generation: 2 });
        await keeper.signal(remove, { by: 'bob' });
        await keeper.signal(arrive, anArrival('v0.2.0', nobody));
      });
      await (await started[0])?.result();
      expect([zone.phase('v0.1.0'), zone.phase('v0.2.0')]).toEqual(['Cancelled', 'Cancelled']);
      expect(world.called().filter((name) => name !== 'recordZone')).toEqual(['removeZone']);
    });
  });
});
