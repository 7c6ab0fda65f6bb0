import { createHmac, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { SecretKind, readSecretText } from '../../../src/kinds/kubernetes.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { TestPlatform } from './test-platform.ts';

type WebhookOptions = { secret: string; event?: string; delivery?: string; contentType?: string };

export const signBody = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Sends a signed webhook as the code host does; `url` is the root URL of the installation. */
export async function deliverWebhook(
  url: string,
  body: string,
  { secret, event = 'issues', delivery = randomUUID(), contentType = 'application/json' }: WebhookOptions,
): Promise<Response> {
  return await fetch(`${url}/api/v1/webhooks/codehost`, {
    method: 'POST',
    headers: {
      'content-type': contentType,
      'x-github-event': event,
      'x-github-delivery': delivery,
      'x-hub-signature-256': signBody(body, secret),
    },
    body,
  });
}

/** Reads the webhook secret of the org "acme" from the store of a platform. */
export async function readWebhookSecret({ dataDir }: TestPlatform): Promise<string> {
  const store = openSqliteStore({ file: join(dataDir, 'store.sqlite') });
  try {
    const secret = await store.get(SecretKind, { namespace: 'org-acme', name: 'codehost-app' });
    return readSecretText(secret, 'webhook-secret') ?? '';
  } finally {
    await store.close();
  }
}
