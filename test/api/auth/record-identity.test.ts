import { expect, it } from 'vitest';
import { recordIdentity } from '../../../api/auth/record-identity.ts';
import { findRefreshToken, readRefreshToken } from '../../../api/auth/refresh-tokens.ts';
import { identityProviderRef } from '../../../api/identity/identity-provider.ts';
import { IdentityProviderKind } from '../../../src/rules/access/identity-provider.ts';
import { UserKind } from '../../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { openTestStore } from '../../support/open-test-store.ts';

it('records the latest sign-in through each provider, with its refresh token', async () => {
  const store = openTestStore();
  const user = await store.create(UserKind, {
    metadata: { namespace: systemNamespace, name: 'ada' },
    spec: { email: 'ada@example.com', platformAdmin: false },
  });
  const [sso, hub] = await Promise.all(
    ['sso', 'hub'].map(
      async (name) =>
        await store.create(IdentityProviderKind, {
          metadata: identityProviderRef(name),
          spec: { label: name, issuer: `https://${name}.example.com`, clientId: 'delivery' },
        }),
    ),
  );
  if (!sso || !hub) throw new Error('The providers are missing.');
  const times = ['2027-01-01T00:00:00.000Z', '2027-01-01T00:00:01.000Z', '2027-01-01T00:00:02.000Z'];
  const remaining = [...times];
  const now = () => new Date(remaining.shift() ?? '');
  const base = { subject: 'ada', email: 'ada@example.com', emailVerified: true };
  const record = async (provider: typeof sso, groups: string[], refreshToken: string | undefined) =>
    await recordIdentity({ store, now }, { user, provider, identity: { ...base, groups, refreshToken } });
  const readToken = async () => readRefreshToken(await findRefreshToken(store, { user, provider: 'sso' }));

  await record(sso, ['old'], 'the token');
  expect(await readToken()).toBe('the token');
  await record(hub, ['hub'], undefined);
  expect(await readToken()).toBe('the token');
  const { status } = await record(sso, ['new'], undefined);
  expect(await readToken()).toBeUndefined();
  expect(status?.identities).toEqual([
    { provider: 'hub', providerUid: hub.metadata.uid, groups: ['hub'], renewable: false, checkedAt: times[1] },
    { provider: 'sso', providerUid: sso.metadata.uid, groups: ['new'], renewable: false, checkedAt: times[2] },
  ]);
  expect((await store.get(UserKind, user.metadata)).status).toEqual(status);
});
