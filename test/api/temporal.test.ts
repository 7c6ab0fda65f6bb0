import { expect, it } from 'vitest';
import { speaking } from '../../api/temporal.ts';
import { freeze, promote, unfreeze } from '../../workflows/environments/messages.ts';
import { AZone, anArrival, startKeeper } from '../support/a-zone.ts';
import { hastyServer } from '../support/hasty-server.ts';
import { eventually, onTemporal } from '../support/on-temporal.ts';
import { describeWithTemporal } from '../support/temporal-client.ts';

/** Far more than it takes to meet the moment at which a workflow goes on as new. */
const roundsMax = 100;

describeWithTemporal('speaking to a workflow', () => {
  it('sends again what it had not taken when it went on as new', async () => {
    const address = await hastyServer(25);
    const zone = new AZone();
    await onTemporal(
      zone.activities,
      async (world) => {
        const { workflowId } = await startKeeper(world);
        const keeper = world.client.workflow.getHandle(workflowId);
        const frozen = { reason: 'Sale.', by: 'ada', since: new Date().toISOString() };
        let [asked, sent] = [0, 0];
        const ask = async (call: () => Promise<void>): Promise<void> => {
          asked += 1;
          await speaking(world.client, async () => {
            sent += 1;
            await call();
          });
        };
        for (let round = 1; sent === asked && round < roundsMax; round += 1) {
          const version = `v0.${round}.0`;
          const order = { arrival: anArrival(version, 'promote-release/nobody'), by: 'bob', role: 'member' };
          await ask(async () => await keeper.executeUpdate(promote, { args: [order] }));
          await eventually(() => zone.phase(version)).toBe('Verified');
          await ask(async () => await keeper.executeUpdate(freeze, { args: [frozen] }));
          await ask(async () => await keeper.executeUpdate(unfreeze, { args: [{ by: 'ada' }] }));
        }
        expect(sent).toBeGreaterThan(asked);
      },
      address,
    );
  });
});
