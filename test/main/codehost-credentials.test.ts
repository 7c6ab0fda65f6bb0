import { expect, it, onTestFinished } from 'vitest';
import { codehostCredentials } from '../../src/main/codehost-credentials.ts';
import { OrganizationKind } from '../../src/rules/catalog/kinds.ts';
import { SecretKind } from '../../src/rules/core-kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';

it('an org whose secret has nothing in it is not connected', async () => {
  const store = openSqliteStore({ file: ':memory:' });
  onTestFinished(async () => await store.close());
  await store.create(OrganizationKind, {
    metadata: { namespace: 'service-system', name: 'acme' },
    spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' },
  });
  await store.create(SecretKind, { metadata: { namespace: 'org-acme', name: 'codehost-app' } });
  expect(await codehostCredentials(store)('acme')).toBeUndefined();
});
