import { z } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { actionsFor } from '../../src/rules/access/actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import { dataOfProvider, fieldsOfSecret, modelProviderSecret } from '../../src/rules/agents/model-provider-secret.ts';
import {
  missingSecrets,
  ModelProvider,
  providerKinds,
  sameAudience,
  secretsOf,
} from '../../src/rules/agents/model-provider.ts';
import { SecretKind, type Secret } from '../../src/rules/core-kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { ApiDeps } from '../deps.ts';
import { ActionView } from '../views.ts';

export const ModelProviderView = z
  .object({
    org: z.string(),
    source: z
      .enum(['org', 'installation', 'none'])
      .openapi({ description: 'Whose provider answers the agents of the org.' }),
    kind: z.enum(providerKinds).optional(),
    model: z.string().optional().openapi({ description: 'What AgentRoles use that name no other.' }),
    baseUrl: z.string().optional(),
    region: z.string().optional(),
    hasKey: z.boolean(),
    resourceVersion: z.string().optional(),
    actions: z.array(ActionView),
  })
  .openapi('ModelProvider');

export const modelProviderRef = (org: string) => ({ namespace: orgNamespace(org), name: modelProviderSecret });

export const findModelProvider = async (store: Store, org: string): Promise<Secret | undefined> =>
  store.find(SecretKind, modelProviderRef(org));

export async function keepModelProvider(store: Store, org: string, provider: ModelProvider): Promise<Secret> {
  const data = dataOfProvider(provider);
  const before = await findModelProvider(store, org);
  if (before) return store.replace(SecretKind, { ...before, data });
  return store.create(SecretKind, { metadata: modelProviderRef(org), type: 'Opaque', data });
}

/** What is saved: secrets that are left out stay as they were, as long as they go where they went before. */
export function withKeptSecrets(given: ModelProvider, before: Secret | undefined): ModelProvider {
  const kept = before && ModelProvider.safeParse(fieldsOfSecret(before));
  const mayKeep = kept?.success === true && sameAudience(kept.data, given);
  const missing = missingSecrets(given);
  const secrets = mayKeep && secretsOf(given).every(({ value }) => value === undefined) ? secretsOf(kept.data) : [];
  const whole = ModelProvider.parse({
    ...given,
    ...Object.fromEntries(secrets.flatMap(({ field, value }) => (value === undefined ? [] : [[field, value]]))),
  });
  if (missingSecrets(whole).length === 0) return whole;
  throw invalid(
    'The provider needs its key. A key that was saved before stays only with the same kind and base URL.',
    missing.map((field) => ({ pointer: `/${field}`, detail: 'is missing' })),
  );
}

type Viewer = { org: string; role: OrgRole | undefined };

/** Never with a key in it. */
export function modelProviderView(
  secret: Secret | undefined,
  { models }: Pick<ApiDeps, 'models'>,
  { org, role }: Viewer,
): z.infer<typeof ModelProviderView> {
  const actions = actionsFor(role, [
    { name: 'putModelProvider', needs: 'org-admin' },
    { name: 'deleteModelProvider', needs: 'org-admin', hindrance: secret ? undefined : 'The org has none of its own.' },
    { name: 'putModelPrices', needs: 'org-admin' },
  ]);
  if (!secret) {
    const source = models.installation ? ('installation' as const) : ('none' as const);
    return { org, source, ...models.installation, hasKey: false, actions };
  }
  const { apiKey, accessKeyId, secretAccessKey, ...open } = fieldsOfSecret(secret);
  const shown = ModelProviderView.pick({ kind: true, model: true, baseUrl: true, region: true }).safeParse(open);
  return {
    org,
    source: 'org',
    ...(shown.success && shown.data),
    hasKey: (apiKey ?? (accessKeyId && secretAccessKey)) !== undefined,
    resourceVersion: secret.metadata.resourceVersion,
    actions,
  };
}
