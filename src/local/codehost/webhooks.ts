import { createHmac, randomUUID } from 'node:crypto';
import { accountById, accountShape, organizationShape } from './accounts.ts';
import type { Host } from './host.ts';
import { repositoryShape } from './repositories.ts';
import type { Account, AppRow, Delivery, Repository } from './rows.ts';
import { hostTime } from './times.ts';

export type WebhookEvent = {
  event: string;
  action?: string;
  repository: Repository;
  sender: Account;
  payload: Record<string, unknown>;
};

/** Every event is one row for each installed app that asked for it, written with the change that it tells of. */
export function announce(host: Host, { event, action, repository, sender, payload }: WebhookEvent): void {
  const owner = accountById(host, repository.ownerId);
  const guid = randomUUID();
  const listeners = host.database.all<AppRow & { installationId: number }>(
    'SELECT apps.*, installations.id AS installationId FROM apps JOIN installations ON installations.appId = apps.id WHERE installations.accountId = ? AND hookActive = 1',
    owner.id,
  );
  for (const { id, installationId, events } of listeners) {
    if (!(JSON.parse(events) as string[]).includes(event)) continue;
    const body = {
      ...(action === undefined ? {} : { action }),
      ...payload,
      repository: repositoryShape(host, repository),
      ...(owner.type === 'Organization' ? { organization: organizationShape(host, owner) } : {}),
      sender: accountShape(host, sender),
      installation: {
        id: installationId,
        node_id: Buffer.from(`installation:${installationId}`).toString('base64url'),
      },
    };
    addDelivery(host, {
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

function addDelivery(
  host: Host,
  { guid, appId, installationId, repositoryId, event, action, payload, redelivery }: NewDelivery,
): void {
  const row = { guid, appId, installationId, repositoryId, event, action, payload, redelivery };
  const id = host.database.insert('deliveries', { ...row, deliveredAt: new Date().toISOString() });
  // Once the transaction around this is over; what it took back is not found any more.
  setImmediate(() => sendLater(host, id));
}

/** The same event again, under the same guid. */
export const redeliver = (host: Host, delivery: Delivery): void => addDelivery(host, { ...delivery, redelivery: 1 });

/** What a death of this process kept from being sent. */
export function sendUnsent(host: Host): void {
  for (const { id } of host.database.all<{ id: number }>('SELECT id FROM deliveries WHERE status IS NULL ORDER BY id'))
    sendLater(host, id);
}

function sendLater(host: Host, id: number): void {
  if (!host.closing.aborted) host.inBackground(send(host, id));
}

async function send(host: Host, id: number): Promise<void> {
  const delivery = host.database.one<Delivery>('SELECT * FROM deliveries WHERE id = ? AND status IS NULL', id);
  const app = delivery && host.database.one<AppRow>('SELECT * FROM apps WHERE id = ?', delivery.appId);
  if (delivery === undefined || app === undefined) return;
  const headers = hookHeaders(app, delivery);
  const startedAt = performance.now();
  const answer = await post(app.hookUrl, { headers, body: delivery.payload, closing: host.closing });
  // Cut off by our own end: the next start sends it.
  if (answer === undefined) return;
  const requestHeaders = JSON.stringify(headers);
  host.database.update('deliveries', id, {
    ...answer,
    url: app.hookUrl,
    requestHeaders,
    durationMs: Math.round(performance.now() - startedAt),
    deliveredAt: hostTime(),
  });
  if (answer.statusCode < 200 || answer.statusCode > 299)
    host.log(`webhook ${delivery.event} to ${app.hookUrl}: ${answer.status}`);
}

function hookHeaders(app: AppRow, { guid, event, payload }: Delivery): Record<string, string> {
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

type Answer = { status: string; statusCode: number; responseHeaders: string; responseBody: string };

async function post(
  url: string,
  { headers, body, closing }: { headers: Record<string, string>; body: string; closing: AbortSignal },
): Promise<Answer | undefined> {
  // The real host waits ten seconds for an answer.
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
