import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { buildWebhookHeaders, buildIssueEvent, toWebhookSecret } from '../support/platform/intake-harness.ts';

/** The size of a typical issue event of the code host. */
const bodyBytes = 10_000;
/** The flood has its own unlimited pool, so that it takes no connections from valid deliveries. */
const connectionPools = { good: new Agent({ connections: 64 }), bad: new Agent() };

export type RequestResult = { status: number; durationMs: number };
type DeliveryTarget = { url: string; org: string; number: number; action?: string; delivery?: string };

/** Sends an event with a valid signature. */
export async function sendDelivery({
  url,
  org,
  number,
  action = 'opened',
  delivery = randomUUID(),
}: DeliveryTarget): Promise<RequestResult> {
  const body = buildIssueEvent({ org, number, action, bodyBytes });
  return await send(connectionPools.good, url, {
    body,
    headers: buildWebhookHeaders(delivery, body, toWebhookSecret(org)),
  });
}

/** Sends an event with an invalid signature. The org in its body may not exist. */
export async function sendForgedDelivery(url: string, org: string): Promise<RequestResult> {
  const body = buildIssueEvent({ org, number: 1, bodyBytes: bodyBytes + Math.floor(Math.random() * 1000) });
  return await send(connectionPools.bad, url, {
    body,
    headers: buildWebhookHeaders(randomUUID(), body, randomBytes(20).toString('hex')),
  });
}

type Message = { body: string; headers: Record<string, string> };

/** Sends a request; a connection error counts as status 0. */
async function send(dispatcher: Agent, url: string, { body, headers }: Message): Promise<RequestResult> {
  const startedAt = performance.now();
  const status = await request(url, { method: 'POST', headers, body, dispatcher }).then(
    async (response) => {
      await response.body.dump();
      return response.statusCode;
    },
    () => 0,
  );
  return { status, durationMs: performance.now() - startedAt };
}

/** Starts requests at a fixed rate, independent of how long each takes. */
export async function sendAtRate(
  perSecond: number,
  count: number,
  sendNext: (index: number) => Promise<RequestResult>,
): Promise<RequestResult[]> {
  const startedAt = performance.now();
  const sent: Promise<RequestResult>[] = [];
  for (let index = 0; index < count; index += 1) {
    const delayMs = startedAt + (index * 1000) / perSecond - performance.now();
    if (delayMs > 0) await pause(delayMs);
    sent.push(sendNext(index));
  }
  return await Promise.all(sent);
}

export function quantile(sent: readonly RequestResult[], part: number): number {
  const sorted = sent.map(({ durationMs }) => durationMs).toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

export const closeConnectionPools = async (): Promise<void> =>
  void (await Promise.all([connectionPools.good.close(), connectionPools.bad.close()]));
