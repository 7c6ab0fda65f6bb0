import { z } from 'zod';
import type { ApiConfig } from '../deps.ts';
import { ServiceError } from '../../src/errors.ts';
import { SecretKind, toSecretData } from '../../src/kinds/kubernetes.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** Creating an app can take several seconds, while a person waits in the browser. */
const conversionTimeoutMs = 20_000;

/** Longer than a code host tries to deliver a webhook that was signed before the change. */
const previousSecretTtlMs = 24 * 60 * 60_000;

export const codehostAppSecretName = 'codehost-app';
/** The keys of the Secret that verify webhooks. */
export const webhookSecretKeys = {
  current: 'webhook-secret',
  previous: 'webhook-secret-previous',
  previousExpires: 'webhook-secret-previous-expires',
} as const;
export const codehostAppRef = (org: string) => ({ namespace: orgNamespace(org), name: codehostAppSecretName });

/** The response of the code host to a manifest code: the new app and its credentials. */
const ManifestConversion = z.object({
  id: z.int(),
  slug: z.string(),
  html_url: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
  webhook_secret: z.string(),
  pem: z.string(),
});
export type CodehostApp = z.infer<typeof ManifestConversion>;

export async function exchangeManifestCode(
  { codehostApiUrl: apiUrl, codehostManifestToken: token }: Pick<ApiConfig, 'codehostApiUrl' | 'codehostManifestToken'>,
  code: string,
): Promise<CodehostApp> {
  const url = `${apiUrl}/app-manifests/${encodeURIComponent(code)}/conversions`;
  const signal = AbortSignal.timeout(conversionTimeoutMs);
  const response = await fetch(url, {
    method: 'POST',
    headers: { Accept: 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    signal,
    redirect: 'error',
  }).catch(() => {
    throw new ServiceError(
      'codehost-unreachable',
      'The code host cannot be reached. Start connecting the org again later.',
    );
  });
  if (!response.ok)
    throw new ServiceError(
      'manifest-code-rejected',
      `The code host rejected the code with status ${response.status}: it is used or expired. Start connecting the org again.`,
    );
  return ManifestConversion.parse(await response.json());
}

/** Saves the credentials. The previous webhook secret stays valid for one day. */
export async function saveCodehostApp(store: Store, org: string, app: CodehostApp, now: Date): Promise<void> {
  const metadata = codehostAppRef(org);
  const existing = await store.find(SecretKind, metadata);
  const previous = existing?.data?.[webhookSecretKeys.current];
  const previousExpires = new Date(now.getTime() + previousSecretTtlMs).toISOString();
  const data = {
    ...toSecretData({
      'app-id': String(app.id),
      'private-key': app.pem,
      'client-id': app.client_id,
      'client-secret': app.client_secret,
      [webhookSecretKeys.current]: app.webhook_secret,
      slug: app.slug,
      url: app.html_url,
    }),
    ...(previous !== undefined && {
      [webhookSecretKeys.previous]: previous,
      ...toSecretData({ [webhookSecretKeys.previousExpires]: previousExpires }),
    }),
  };
  if (existing) await store.replace(SecretKind, { ...existing, data });
  else await store.create(SecretKind, { metadata, type: 'Opaque', data });
}
