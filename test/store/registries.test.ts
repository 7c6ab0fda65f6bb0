import { expect, it } from 'vitest';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { registriesSecretName, toRegistriesData } from '../../src/rules/registries/registries-secret.ts';
import { listRegistries } from '../../src/store/registries.ts';
import { openTestStore } from '../support/open-test-store.ts';

it('lists the registries of the org alone, with their passwords', async () => {
  const store = openTestStore();
  const lastCheck = { access: 'pull-and-push' as const, at: '2027-01-01T00:00:00.000Z' };
  const add = async (org: string, name: string) => {
    const registry = { name, host: 'registry.example', username: org, password: `${org}-password`, lastCheck };
    const metadata = { namespace: `org-${org}`, name: registriesSecretName };
    await store.create(SecretKind, { metadata, data: toRegistriesData([registry]) });
    return registry;
  };
  const own = await add('acme', 'harbor');
  await add('other', 'quay');
  expect(await listRegistries(store, 'acme')).toEqual([own]);
  expect(await listRegistries(store, 'none')).toEqual([]);
});
