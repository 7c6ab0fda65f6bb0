import { expect, it } from 'vitest';
import { reconcileIdentityProvider } from '../../src/reconcile/reconcile-identity-provider.ts';
import { IdentityProviderKind } from '../../src/rules/access/identity-provider.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const spec = { label: 'SSO', issuer: 'https://sso.example.com', clientId: 'delivery' };

async function apply(name: string, change: Partial<typeof spec> = {}) {
  const { deps, store } = await createReconcileDeps();
  const metadata = { namespace: 'service-system', name };
  const created = await store.create(IdentityProviderKind, { metadata, spec: { ...spec, ...change } });
  await reconcileIdentityProvider(deps, created);
  return (await store.get(IdentityProviderKind, metadata)).status?.conditions?.[0];
}

it('accepts a provider, and says what is wrong with another', async () => {
  expect(await apply('sso')).toMatchObject({ status: 'True' });
  expect(await apply('sso', { issuer: 'https://sso.example.com#x' })).toMatchObject({
    status: 'False',
    message: expect.stringContaining('/spec/issuer must have no user, query or fragment'),
  });
  expect(await apply('s.so')).toMatchObject({ status: 'False', message: expect.stringContaining('"s.so"') });
});
