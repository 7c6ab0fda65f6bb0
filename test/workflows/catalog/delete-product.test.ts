import { expect, it } from 'vitest';
import { deleteProductId } from '../../../workflows/catalog/messages.ts';
import { arrive } from '../../../workflows/environments/messages.ts';
import { AZone, anArrival, startKeeper } from '../../support/a-zone.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';

describeWithTemporal('deleteProduct', () => {
  it('takes every zone down through its keeper, there already or not, then forgets the Product', async () => {
    const zone = new AZone({ asksApproval: true });
    const beginProductDeletion = async () => ['hello-rc', 'hello-prod'];
    const [removeProductChart, forgetProduct] = [async (): Promise<void> => {}, async (): Promise<void> => {}];
    await onTemporal({ ...zone.activities, beginProductDeletion, removeProductChart, forgetProduct }, async (world) => {
      const keeper = await startKeeper(world, 'hello-rc');
      await keeper.signal(arrive, anArrival('v0.1.0', 'promote-release/nobody'));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');

      const input = { org: world.taskQueue, product: 'hello', by: 'bob' };
      const handle = await world.start('deleteProduct', input, { workflowId: deleteProductId(input) });
      await handle.result();
      await keeper.result();
      expect(
        world
          .calls('removeZone')
          .map((ref) => ref.zone)
          .toSorted(),
      ).toEqual(['hello-prod', 'hello-rc']);
      expect(world.called().slice(-2)).toEqual(['removeProductChart', 'forgetProduct']);
      expect(zone.phase('v0.1.0')).toBe('Cancelled');
    });
  });

  it('ends for a Product that is gone', async () => {
    const nothing = async (): Promise<void> => {};
    const gone = { beginProductDeletion: async () => [], removeProductChart: nothing, forgetProduct: nothing };
    await onTemporal(gone, async (world) => {
      const input = { org: world.taskQueue, product: 'hello', by: 'bob' };
      await (await world.start('deleteProduct', input, { workflowId: deleteProductId(input) })).result();
      expect(world.called()).toEqual(['beginProductDeletion', 'removeProductChart', 'forgetProduct']);
    });
  });
});
