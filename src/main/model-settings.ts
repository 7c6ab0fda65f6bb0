import { ServiceError } from '../errors.ts';
import { ModelPrices, modelPricesName, type ModelPrice } from '../rules/agents/model-prices.ts';
import { fieldsOfSecret, modelProviderSecret } from '../rules/agents/model-provider-secret.ts';
import { ModelProvider } from '../rules/agents/model-provider.ts';
import { ConfigMapKind, SecretKind } from '../rules/core-kinds.ts';
import { orgNamespace } from '../rules/resource.ts';
import type { Store } from '../store/store.ts';

/** An org's own provider, from the secret-store entry `model-provider` in its namespace. */
export function modelProviderOf(store: Store): (org: string) => Promise<ModelProvider | undefined> {
  return async (org) => {
    const secret = await store.find(SecretKind, { namespace: orgNamespace(org), name: modelProviderSecret });
    if (!secret) return undefined;
    const parsed = ModelProvider.safeParse(fieldsOfSecret(secret));
    if (parsed.success) return parsed.data;
    const fix = `Write it again with PUT /v1/orgs/${org}/model-provider.`;
    throw new ServiceError('forbidden', `The secret "${modelProviderSecret}" of org "${org}" is not complete. ${fix}`);
  };
}

/** An org's own prices, from the config object `model-prices` in its namespace. */
export function modelPricesOf(store: Store): (org: string) => Promise<ModelPrice[]> {
  return async (org) => {
    const found = await store.find(ConfigMapKind, { namespace: orgNamespace(org), name: modelPricesName });
    return ModelPrices.parse(JSON.parse(found?.data?.['prices'] ?? '[]'));
  };
}
