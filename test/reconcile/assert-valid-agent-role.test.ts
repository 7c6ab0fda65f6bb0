import { expect, it } from 'vitest';
import { assertValidAgentRole } from '../../src/reconcile/assert-valid-agent-role.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

it('rejects network access that the org does not allow', async () => {
  const { store } = await createReconcileDeps();
  const spec = { responsibilities: ['Research.'] };
  await expect(assertValidAgentRole(store, 'acme', spec)).resolves.toBeUndefined();
  await expect(assertValidAgentRole(store, 'acme', { ...spec, network: true })).rejects.toMatchObject({
    errors: [{ pointer: '/spec/network', detail: 'is not allowed by the org' }],
  });
});
