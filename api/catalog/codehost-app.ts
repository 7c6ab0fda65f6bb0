import { z } from 'zod';
import { ServiceError } from '../../src/errors.ts';
import { SecretKind, secretData } from '../../src/rules/core-kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** Making an application may take a while; a person waits in front of a blank page. */
const conversionMs = 20_000;

export const codehostAppRef = (org: string) => ({ namespace: orgNamespace(org), name: 'codehost-app' });

/** What the code host answers for a code: the new application and its credentials. */
const Conversion = z.object({
  id: z.int(),
  slug: z.string(),
  html_url: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
  webhook_secret: z.string(),
  pem: z.string(),
});
export type CodehostApp = z.infer<typeof Conversion>;

export async function convertCode(apiUrl: string, code: string): Promise<CodehostApp> {
  const url = `${apiUrl}/app-manifests/${encodeURIComponent(code)}/conversions`;
  const signal = AbortSignal.timeout(conversionMs);
  const response = await fetch(url, {
    method: 'POST',
    headers: { Accept: 'application/json' },
    signal,
    redirect: 'error',
  }).catch(() => {
    throw new ServiceError(
      'unavailable',
      'The code host cannot be reached. Start connecting the org again in a while.',
    );
  });
  if (!response.ok)
    throw new ServiceError(
      'invalid',
      `The code host does not take the code (${response.status}): it is used or expired. Start connecting the org again.`,
    );
  return Conversion.parse(await response.json());
}

/** Deliveries that were signed before the change are still on their way: the previous webhook secret stays good. */
export async function keepCodehostApp(store: Store, org: string, app: CodehostApp): Promise<void> {
  const metadata = codehostAppRef(org);
  const before = await store.find(SecretKind, metadata);
  const previous = before?.data?.['webhook-secret'];
  const data = {
    ...secretData({
      'app-id': String(app.id),
      'private-key': app.pem,
      'client-id': app.client_id,
      'client-secret': app.client_secret,
      'webhook-secret': app.webhook_secret,
      slug: app.slug,
      url: app.html_url,
    }),
    ...(previous !== undefined && { 'webhook-secret-previous': previous }),
  };
  if (before) await store.replace(SecretKind, { ...before, data });
  else await store.create(SecretKind, { metadata, type: 'Opaque', data });
}
