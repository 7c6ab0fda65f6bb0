import { expect, it } from 'vitest';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { reconcileUser } from '../../src/reconcile/reconcile-user.ts';
import { UserKind } from '../../src/rules/access/kinds.ts';
import { userName } from '../../src/rules/access/user-name.ts';
import { createReconcileDeps } from './reconcile-fixture.ts';

const email = 'ada@example.com';

async function apply(name: string, withPassword: boolean, identities?: { issuer: string; subject: string }[]) {
  const { deps, store } = await createReconcileDeps();
  const metadata = { namespace: 'service-system', name };
  if (withPassword) await store.create(SecretKind, { metadata, data: { 'password-hash': '' } });
  await reconcileUser(
    deps,
    await store.create(UserKind, {
      metadata,
      spec: { email, platformAdmin: false, ...(identities && { identities }) },
    }),
  );
  return (await store.get(UserKind, metadata)).status?.conditions?.[0];
}

it('accepts a User who can sign in, and says why another cannot', async () => {
  expect(await apply(userName(email), true)).toMatchObject({ status: 'True' });
  const identities = [{ issuer: 'https://sso.example.com', subject: 'ada' }];
  expect(await apply(userName(email), false, identities)).toMatchObject({ status: 'True' });
  const rejected = (detail: string) => ({
    status: 'False',
    message: `This User cannot sign in: ${detail}. Delete it, and create a user with POST /v1/access/users.`,
  });
  expect(await apply(userName(email), false)).toMatchObject(rejected('it has no password and no identity'));
  expect(await apply('ada', true)).toMatchObject(rejected('its name belongs to another address'));
});
