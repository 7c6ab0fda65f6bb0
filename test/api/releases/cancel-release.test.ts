import { expect, it } from 'vitest';
import { workflowIdAnnotation } from '../../../src/rules/changes/run-names.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { startApi } from '../../support/start-api.ts';
import { captureUpdates } from '../../support/workflows/capture-updates.ts';

it('200: cancels a Release of its own org, whatever workflow its annotation names', async () => {
  const { temporal, updates } = captureUpdates();
  const { request, store } = await startApi({ role: 'member', temporal });
  const ref = { namespace: 'org-acme', name: 'shop-v1.0.0' };
  await store.create(ReleaseKind, {
    metadata: { ...ref, annotations: { [workflowIdAnnotation]: 'promote-release/globex/shop/c2' } },
    spec: { product: 'shop', repo: 'acme/shop', commit: 'c1', version: 'v1.0.0', startedBy: 'jo' },
  });
  await store.updateStatus(ReleaseKind, ref, () => ({ phase: 'Promoting' as const, zones: [] }));
  expect((await request('/v1/orgs/acme/releases/shop-v1.0.0/cancel', { method: 'POST' })).status).toBe(200);
  expect(updates).toEqual([
    {
      workflowId: 'promote-release/acme/shop/c1',
      update: 'cancelRelease',
      args: [{ by: 'member@example.com' }, expect.any(String)],
    },
  ]);
});
