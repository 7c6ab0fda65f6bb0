import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { hookHeaders, issueEvent, secretOf } from '../support/intake-parts.ts';

/** As large as a usual issue event of the code host. */
const bytes = 10_000;
/** Whoever floods takes as many connections as they want, and none from others. */
const agents = { good: new Agent({ connections: 64 }), bad: new Agent() };

export type Sent = { status: number; ms: number };
type Target = { url: string; org: string; number: number; action?: string; delivery?: string };

/** Delivers an event, with its secret as the signature or one that nobody has. */
export async function deliver({ url, org, number, action = 'opened', delivery = randomUUID() }: Target): Promise<Sent> {
  const body = issueEvent({ org, number, action, bytes });
  return await send(agents.good, url, { body, headers: hookHeaders(delivery, body, secretOf(org)) });
}

/** A signature of nobody, on a body that points at an org or at none. */
export async function forge(url: string, org: string): Promise<Sent> {
  const body = issueEvent({ org, number: 1, bytes: bytes + Math.floor(Math.random() * 1000) });
  return await send(agents.bad, url, {
    body,
    headers: hookHeaders(randomUUID(), body, randomBytes(20).toString('hex')),
  });
}

type Message = { body: string; headers: Record<string, string> };

/** Who is not answered at all counts with the status 0. */
async function send(dispatcher: Agent, url: string, { body, headers }: Message): Promise<Sent> {
  const startedAt = performance.now();
  const status = await request(url, { method: 'POST', headers, body, dispatcher }).then(
    async (response) => {
      await response.body.dump();
      return response.statusCode;
    },
    () => 0,
  );
  return { status, ms: performance.now() - startedAt };
}

/** So many a second, started on time however long each takes. */
export async function atRate(perSecond: number, count: number, work: (at: number) => Promise<Sent>): Promise<Sent[]> {
  const startedAt = performance.now();
  const sent: Promise<Sent>[] = [];
  for (let at = 0; at < count; at += 1) {
    const early = startedAt + (at * 1000) / perSecond - performance.now();
    if (early > 0) await pause(early);
    sent.push(work(at));
  }
  return await Promise.all(sent);
}

export function quantile(sent: readonly Sent[], part: number): number {
  const sorted = sent.map(({ ms }) => ms).toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}

export const closeLoad = async (): Promise<void> => void (await Promise.all([agents.good.close(), agents.bad.close()]));
