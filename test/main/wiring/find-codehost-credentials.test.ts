import { expect, it } from 'vitest';
import { findCodehostCredentials } from '../../../src/main/wiring/find-codehost-credentials.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { openTestStore } from '../../support/open-test-store.ts';

it('returns undefined for an org with an empty Secret', async () => {
  const store = openTestStore();
  await store.create(OrganizationKind, {
    metadata: { namespace: 'service-system', name: 'acme' },
    spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' },
  });
  await store.create(SecretKind, { metadata: { namespace: 'org-acme', name: 'codehost-app' } });
  expect(await findCodehostCredentials(store)('acme')).toBeUndefined();
});

it('returns another version for another account, so that no connection to the earlier one is reused', async () => {
  const store = openTestStore();
  const metadata = { namespace: 'service-system', name: 'acme' };
  const spec = { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' };
  const organization = await store.create(OrganizationKind, { metadata, spec });
  const data = toSecretData({ 'app-id': '1', 'private-key': 'key' });
  await store.create(SecretKind, { metadata: { namespace: 'org-acme', name: 'codehost-app' }, data });
  const before = await findCodehostCredentials(store)('acme');
  await store.replace(OrganizationKind, { ...organization, spec: { ...spec, codehostAccount: 'acme-labs' } });
  const after = await findCodehostCredentials(store)('acme');
  expect(after).toEqual({
    ...before,
    account: 'acme-labs',
    version: expect.not.stringMatching(`^${before?.version}$`),
  });
});
