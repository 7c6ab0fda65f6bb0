import { SecretKind } from '../kinds/kubernetes.ts';
import { readRegistries, registriesSecretName } from '../rules/registries/registries-secret.ts';
import type { Registry } from '../rules/registries/registry.ts';
import { orgNamespace } from '../rules/resource.ts';
import type { Store } from './store.ts';

/** Lists the registries of an org, with their passwords. */
export const listRegistries = async (store: Pick<Store, 'find'>, org: string): Promise<Registry[]> =>
  readRegistries(await store.find(SecretKind, { namespace: orgNamespace(org), name: registriesSecretName }));
