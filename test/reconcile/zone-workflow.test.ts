import { expect, it } from 'vitest';
import { signalZone, updateZone } from '../../src/reconcile/zone-workflow.ts';
import { applySettingsSignal, unfreezeZoneUpdate } from '../../workflows/environments/messages.ts';
import { createUnreachableTemporal } from '../support/start-api.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const zone = { org: 'acme', product: 'shop', zone: 'shop-rc' };

it('signals the workflow of the zone with its start', async () => {
  const { deps, calls } = await createReconcileDeps();
  await signalZone(deps, zone, { signal: applySettingsSignal, arg: { generation: 2 } });
  expect(calls).toEqual([
    { type: 'manageZone', workflowId: 'manage-zone/acme/shop/shop-rc', signal: applySettingsSignal.name },
  ]);
});

it('reports that the workflow of the zone did not get an update', async () => {
  const temporal = createUnreachableTemporal();
  const sent = updateZone({ temporal }, zone, { update: unfreezeZoneUpdate, args: [{ by: 'jo@example.com' }] });
  await expect(sent).rejects.toMatchObject({ reason: 'workflow-server-unreachable' });
});
