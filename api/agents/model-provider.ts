import { z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { actionsFor } from '../../src/rules/access/actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import {
  toProviderSecretData,
  toProviderFields,
  modelProviderSecretName,
} from '../../src/rules/agents/model-provider-secret.ts';
import {
  listMissingSecrets,
  ModelProvider,
  providerKinds,
  hasSameEndpoint,
  listProviderSecrets,
} from '../../src/rules/agents/model-provider.ts';
import { SecretKind, type Secret } from '../../src/kinds/kubernetes.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { ApiDeps } from '../deps.ts';
import { ActionView } from '../http/views.ts';

export const ModelProviderView = z
  .object({
    org: z.string().describe('Name of the org.'),
    source: z
      .enum(['org', 'installation', 'none'])
      .openapi({ description: 'Whether the provider is set by the org or by the installation.' }),
    kind: z.enum(providerKinds).optional().describe('API that the provider implements.'),
    model: z.string().optional().openapi({ description: 'Used by AgentRoles that name no model.' }),
    baseUrl: z.string().optional().describe('URL of the provider’s API; absent for the default of the kind.'),
    region: z.string().optional().describe('Region of an Amazon Bedrock provider.'),
    hasKey: z.boolean().describe('Whether credentials are stored. They are never returned.'),
    resourceVersion: z.string().optional().describe('Version of the provider, for `If-Match`.'),
    actions: z.array(ActionView).describe('Operations on the provider, with whether the caller can perform them now.'),
  })
  .openapi('ModelProvider');

export const modelProviderRef = (org: string) => ({ namespace: orgNamespace(org), name: modelProviderSecretName });

export const findModelProvider = async (store: Store, org: string): Promise<Secret | undefined> =>
  store.find(SecretKind, modelProviderRef(org));

/** Throws 409 when the stored provider is not the one that was read before. */
export async function saveModelProvider(
  store: Store,
  { org, provider, before }: { org: string; provider: ModelProvider; before: Secret | undefined },
): Promise<Secret> {
  const data = toProviderSecretData(provider);
  if (before) return store.replace(SecretKind, { ...before, data });
  return store.create(SecretKind, { metadata: modelProviderRef(org), type: 'Opaque', data });
}

/** Fills in omitted keys from the stored provider, but only for the same endpoint: a key must not reach another server. */
export function mergeStoredSecrets(requested: ModelProvider, before: Secret | undefined): ModelProvider {
  const stored = before && ModelProvider.safeParse(toProviderFields(before));
  const canReuse = stored?.success === true && hasSameEndpoint(stored.data, requested);
  const missing = listMissingSecrets(requested);
  const omitsSecrets = listProviderSecrets(requested).every(({ value }) => value === undefined);
  const secrets = canReuse && omitsSecrets ? listProviderSecrets(stored.data) : [];
  const merged = ModelProvider.parse({
    ...requested,
    ...Object.fromEntries(secrets.flatMap(({ field, value }) => (value === undefined ? [] : [[field, value]]))),
  });
  if (listMissingSecrets(merged).length === 0) return merged;
  throw invalid(
    'The provider requires a key. A stored key is reused only for the same kind and base URL.',
    missing.map((field) => ({ pointer: `/${field}`, detail: 'is missing' })),
  );
}

type Viewer = { org: string; role: OrgRole | undefined };

/** Shows whether a key is stored, never the key. */
export function toModelProviderView(
  secret: Secret | undefined,
  { models }: Pick<ApiDeps, 'models'>,
  { org, role }: Viewer,
): z.infer<typeof ModelProviderView> {
  const actions = actionsFor(role, [
    { name: 'putModelProvider', requiredRole: 'org-admin' },
    {
      name: 'deleteModelProvider',
      requiredRole: 'org-admin',
      blockedBy: secret ? undefined : 'The org has no provider of its own.',
    },
    { name: 'putModelPrices', requiredRole: 'org-admin' },
  ]);
  if (!secret) {
    const source = models.defaultProvider ? ('installation' as const) : ('none' as const);
    return { org, source, ...models.defaultProvider, hasKey: false, actions };
  }
  const { apiKey, accessKeyId, secretAccessKey, ...publicFields } = toProviderFields(secret);
  const shown = ModelProviderView.pick({ kind: true, model: true, baseUrl: true, region: true }).safeParse(
    publicFields,
  );
  return {
    org,
    source: 'org',
    ...(shown.success && shown.data),
    hasKey: (apiKey ?? (accessKeyId && secretAccessKey)) !== undefined,
    resourceVersion: secret.metadata.resourceVersion,
    actions,
  };
}
