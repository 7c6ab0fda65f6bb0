import { expect, it } from 'vitest';
import { signalZone } from '../../src/reconcile/zone-workflow.ts';
import { applySettingsSignal } from '../../workflows/environments/messages.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

it('signals the workflow of the zone with its start', async () => {
  const { deps, calls } = await createReconcileDeps();
  const zone = { org: 'acme', product: 'shop', zone: 'shop-rc' };
  await signalZone(deps, zone, { signal: applySettingsSignal, arg: { generation: 2 } });
  expect(calls).toEqual([
    { type: 'manageZone', workflowId: 'manage-zone/acme/shop/shop-rc', signal: applySettingsSignal.name },
  ]);
});
