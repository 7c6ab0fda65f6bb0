import { ServiceError } from '../../errors.ts';
import { modelPricesConfigMapName, parseModelPrices, type ModelPrice } from '../../rules/agents/model-prices.ts';
import { toProviderFields, modelProviderSecretName } from '../../rules/agents/model-provider-secret.ts';
import { ModelProvider } from '../../rules/agents/model-provider.ts';
import { ConfigMapKind, SecretKind } from '../../kinds/kubernetes.ts';
import { orgNamespace } from '../../rules/resource.ts';
import type { Store } from '../../store/store.ts';

/** Reads an org's own provider from the Secret `model-provider` in its namespace. */
export function findModelProvider(store: Store): (org: string) => Promise<ModelProvider | undefined> {
  return async (org) => {
    const secret = await store.find(SecretKind, { namespace: orgNamespace(org), name: modelProviderSecretName });
    if (!secret) return undefined;
    const parsed = ModelProvider.safeParse(toProviderFields(secret));
    if (parsed.success) return parsed.data;
    const fix = `Save it again with PUT /v1/orgs/${org}/model-provider.`;
    throw new ServiceError(
      'model-provider-incomplete',
      `The Secret "${modelProviderSecretName}" of org "${org}" is incomplete. ${fix}`,
    );
  };
}

/** Reads an org's own prices from the ConfigMap `model-prices` in its namespace. */
export function listModelPrices(store: Store): (org: string) => Promise<ModelPrice[]> {
  return async (org) => {
    const found = await store.find(ConfigMapKind, { namespace: orgNamespace(org), name: modelPricesConfigMapName });
    return parseModelPrices(found?.data);
  };
}
