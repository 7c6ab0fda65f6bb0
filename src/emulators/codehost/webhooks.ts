import { createHmac, randomUUID } from 'node:crypto';
import { getAccount, toAccountJson, toOrganizationJson } from './accounts.ts';
import type { Host } from './host.ts';
import { toRepositoryJson } from './repositories.ts';
import type { Account, AppRow, Delivery, Repository } from './tables.ts';
import { formatTimestamp } from './format-timestamp.ts';

export type WebhookEvent = {
  event: string;
  action?: string;
  repository: Repository;
  sender: Account;
  payload: Record<string, unknown>;
};

/** Inserts one delivery per subscribed app, in the transaction of the change that the event reports. */
export function emitWebhook(host: Host, { event, action, repository, sender, payload }: WebhookEvent): void {
  const owner = getAccount(host, repository.ownerId);
  const guid = randomUUID();
  const apps = host.database.all<AppRow & { installationId: number }>(
    'SELECT apps.*, installations.id AS installationId FROM apps JOIN installations ON installations.appId = apps.id WHERE installations.accountId = ? AND hookActive = 1',
    owner.id,
  );
  for (const { id, installationId, events } of apps) {
    if (!(JSON.parse(events) as string[]).includes(event)) continue;
    const body = {
      ...(action === undefined ? {} : { action }),
      ...payload,
      repository: toRepositoryJson(host, repository),
      ...(owner.type === 'Organization' ? { organization: toOrganizationJson(host, owner) } : {}),
      sender: toAccountJson(host, sender),
      installation: {
        id: installationId,
        node_id: Buffer.from(`installation:${installationId}`).toString('base64url'),
      },
    };
    createDelivery(host, {
      guid,
      appId: id,
      installationId,
      repositoryId: repository.id,
      event,
      action: action ?? null,
      payload: JSON.stringify(body),
      redelivery: 0,
    });
  }
}

type NewDelivery = Pick<
  Delivery,
  'guid' | 'appId' | 'installationId' | 'repositoryId' | 'event' | 'action' | 'payload' | 'redelivery'
>;

function createDelivery(
  host: Host,
  { guid, appId, installationId, repositoryId, event, action, payload, redelivery }: NewDelivery,
): void {
  const row = { guid, appId, installationId, repositoryId, event, action, payload, redelivery };
  const id = host.database.insert('deliveries', { ...row, deliveredAt: new Date().toISOString() });
  // Sending starts after the surrounding transaction; if that rolls back, the delivery no longer exists.
  setImmediate(() => scheduleDelivery(host, id));
}

/** Creates a new delivery of the same event with the same guid. */
export const redeliver = (host: Host, delivery: Delivery): void => createDelivery(host, { ...delivery, redelivery: 1 });

/** Sends the deliveries that a crash interrupted. */
export function sendPendingDeliveries(host: Host): void {
  for (const { id } of host.database.all<{ id: number }>('SELECT id FROM deliveries WHERE status IS NULL ORDER BY id'))
    scheduleDelivery(host, id);
}

function scheduleDelivery(host: Host, id: number): void {
  if (!host.closing.aborted) host.runInBackground(sendDelivery(host, id));
}

async function sendDelivery(host: Host, id: number): Promise<void> {
  const delivery = host.database.get<Delivery>('SELECT * FROM deliveries WHERE id = ? AND status IS NULL', id);
  const app = delivery && host.database.get<AppRow>('SELECT * FROM apps WHERE id = ?', delivery.appId);
  if (delivery === undefined || app === undefined) return;
  const headers = toWebhookHeaders(app, delivery);
  const startedAt = performance.now();
  const result = await postDelivery(app.hookUrl, { headers, body: delivery.payload, closing: host.closing });
  // The shutdown interrupted the request; the next start sends it again.
  if (result === undefined) return;
  const requestHeaders = JSON.stringify(headers);
  host.database.update('deliveries', id, {
    ...result,
    url: app.hookUrl,
    requestHeaders,
    durationMs: Math.round(performance.now() - startedAt),
    deliveredAt: formatTimestamp(),
  });
  if (result.statusCode < 200 || result.statusCode > 299)
    host.log(`webhook ${delivery.event} to ${app.hookUrl}: ${result.status}`);
}

function toWebhookHeaders(app: AppRow, { guid, event, payload }: Delivery): Record<string, string> {
  const sign = (algorithm: string): string => createHmac(algorithm, app.webhookSecret).update(payload).digest('hex');
  return {
    Accept: '*/*',
    'Content-Type': 'application/json',
    'User-Agent': `GitHub-Hookshot/${app.publicKey.length.toString(16).padStart(7, '0')}`,
    'X-GitHub-Delivery': guid,
    'X-GitHub-Event': event,
    'X-GitHub-Hook-ID': String(app.id),
    'X-GitHub-Hook-Installation-Target-ID': String(app.id),
    'X-GitHub-Hook-Installation-Target-Type': 'integration',
    'X-Hub-Signature': `sha1=${sign('sha1')}`,
    'X-Hub-Signature-256': `sha256=${sign('sha256')}`,
  };
}

type DeliveryResult = { status: string; statusCode: number; responseHeaders: string; responseBody: string };

async function postDelivery(
  url: string,
  { headers, body, closing }: { headers: Record<string, string>; body: string; closing: AbortSignal },
): Promise<DeliveryResult | undefined> {
  // GitHub waits ten seconds for a response.
  const timeout = AbortSignal.timeout(10_000);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([timeout, closing]),
    });
    const text = await response.text();
    const status = response.ok ? 'OK' : `Invalid HTTP Response: ${response.status}`;
    return {
      status,
      statusCode: response.status,
      responseHeaders: JSON.stringify(Object.fromEntries(response.headers)),
      responseBody: text.slice(0, 100_000),
    };
  } catch {
    if (closing.aborted) return undefined;
    const failure = timeout.aborted
      ? { status: 'timed out', statusCode: 504 }
      : { status: 'failed to connect to host', statusCode: 502 };
    return { ...failure, responseHeaders: '{}', responseBody: '' };
  }
}
