import { expect, it } from 'vitest';
import { assertValidAgentRole } from '../../src/reconcile/assert-valid-agent-role.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

it('rejects network access that the org does not allow', async () => {
  const { deps } = await createReconcileDeps();
  const spec = { responsibilities: ['Research.'] };
  await expect(assertValidAgentRole(deps, 'acme', spec)).resolves.toBeUndefined();
  await expect(assertValidAgentRole(deps, 'acme', { ...spec, network: true })).rejects.toMatchObject({
    errors: [{ pointer: '/spec/network', detail: 'is not allowed by the org' }],
  });

  const config = { agentNetwork: 'never' } as const;
  await expect(assertValidAgentRole({ store: deps.store, config }, 'acme', spec)).resolves.toBeUndefined();
  await expect(assertValidAgentRole({ store: deps.store, config }, 'acme', { ...spec, network: true })).rejects.toThrow(
    'AGENT_NETWORK=public',
  );
});
