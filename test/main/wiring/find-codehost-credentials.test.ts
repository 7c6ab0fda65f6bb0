import { expect, it } from 'vitest';
import { findCodehostCredentials } from '../../../src/main/wiring/find-codehost-credentials.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
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
