import { createHmac, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { SecretKind, secretText } from '../../src/rules/core-kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { TestPlatform } from './platform.ts';

type Delivery = { secret: string; event?: string; delivery?: string; contentType?: string };

export const signatureOf = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Sends an event as the code host does; `url` is the root of the site. */
export async function deliver(
  url: string,
  body: string,
  { secret, event = 'issues', delivery = randomUUID(), contentType = 'application/json' }: Delivery,
): Promise<Response> {
  return await fetch(`${url}/api/v1/webhooks/codehost`, {
    method: 'POST',
    headers: {
      'content-type': contentType,
      'x-github-event': event,
      'x-github-delivery': delivery,
      'x-hub-signature-256': signatureOf(body, secret),
    },
    body,
  });
}

/** What the org "acme" of a platform shares with its code host. */
export async function webhookSecret({ dataDir }: TestPlatform): Promise<string> {
  const store = openSqliteStore({ file: join(dataDir, 'store.sqlite') });
  try {
    const entry = await store.get(SecretKind, { namespace: 'org-acme', name: 'codehost-app' });
    return secretText(entry, 'webhook-secret') ?? '';
  } finally {
    await store.close();
  }
}
