import { createHash, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { ApiDeps } from '../deps.ts';
import type { Claim } from './find-signer.ts';
import type { SearchAnswer, SearchQuestion, SearchSecrets } from './search-thread.ts';
import type { Signer, Signers } from './signers.ts';

/** What may wait at once; a thousand orgs take some milliseconds for each, and the code host waits for ten seconds. */
const waitingMax = 64;
const waitingBytesMax = 32 * 1024 * 1024;
const patienceMs = 8_000;
/** A flood keeps the thread busy half of the time and no more: it works as long as it rests. */
const rest = async (workedMs: number): Promise<void> => await pause(workedMs, undefined, { ref: false });
/** How many refused claims are remembered. */
const refusedKept = 10_000;

/**
 * Tries every org's secret, one claim after another in a thread of its own. A claim that there is no room for is
 * answered as one that nobody signed: the code host marks it failed, and it can be sent again.
 */
export function fullSearch({ closing }: Pick<ApiDeps, 'closing'>) {
  const thread = searchThread(closing);
  const running = new Map<string, Promise<Signer | undefined>>();
  const refused = new Set<string>();
  let searched: Signers | undefined;
  let waitingBytes = 0;
  let last: Promise<unknown> = Promise.resolve();

  return async (signers: Signers, claim: Claim): Promise<Signer | undefined> => {
    if (signers !== searched) refused.clear();
    searched = signers;
    const key = `${createHash('sha256').update(claim.body).digest('base64')}${claim.given.toString('base64')}`;
    if (refused.has(key)) return undefined;
    const already = running.get(key);
    if (already) return await already;
    if (running.size >= waitingMax || waitingBytes + claim.body.length > waitingBytesMax) return undefined;

    const giveUpAt = performance.now() + patienceMs;
    let workedMs = 0;
    const search = last.then(async () => {
      const startedAt = performance.now();
      if (startedAt > giveUpAt) return undefined;
      const found = await thread(signers, claim);
      workedMs = performance.now() - startedAt;
      return found;
    });
    last = Promise.allSettled([search]).then(async () => await rest(workedMs));
    running.set(key, search);
    waitingBytes += claim.body.length;
    try {
      const found = await search;
      if (found === undefined && signers === searched && performance.now() <= giveUpAt) remember(refused, key);
      return found;
    } finally {
      running.delete(key);
      waitingBytes -= claim.body.length;
    }
  };
}

function remember(refused: Set<string>, key: string): void {
  refused.add(key);
  if (refused.size <= refusedKept) return;
  // The oldest: a set keeps the order.
  for (const oldest of refused) return void refused.delete(oldest);
}

/** Starts the thread with the first question, and anew should it end; takes one question at a time. */
function searchThread(closing: AbortSignal | undefined) {
  let thread: { worker: Worker; ended: AbortSignal } | undefined;
  let holds: Signers | undefined;
  let owners: Signer[] = [];

  const start = (first: SearchSecrets): { worker: Worker; ended: AbortSignal } => {
    const worker = new Worker(new URL('search-thread.ts', import.meta.url), { workerData: first });
    const end = new AbortController();
    worker.once('exit', () => {
      thread = undefined;
      end.abort();
    });
    closing?.addEventListener('abort', () => void worker.terminate(), { once: true });
    // Nobody waits for it once the process is done.
    worker.unref();
    return { worker, ended: end.signal };
  };

  return async (signers: Signers, { body, given }: Claim): Promise<Signer | undefined> => {
    if (thread === undefined || signers !== holds) {
      const distinct = distinctSecrets(signers);
      const held: SearchSecrets = { secrets: distinct.map(({ secret }) => secret) };
      if (thread === undefined) thread = start(held);
      else thread.worker.postMessage(held);
      holds = signers;
      owners = distinct.map(({ signer }) => signer);
    }
    const answer = once(thread.worker, 'message', { signal: thread.ended });
    thread.worker.postMessage({ body, given } satisfies SearchQuestion);
    const [index] = (await answer) as [SearchAnswer];
    return owners[index];
  };
}

/** Orgs that share a secret are tried once; the first of them is taken for the sender. */
function distinctSecrets({ all }: Signers): { secret: KeyObject; signer: Signer }[] {
  const pairs = all.flatMap((signer) => signer.secrets.map((secret) => ({ secret, signer })));
  const byBytes = pairs.map((pair) => [pair.secret.export().toString('base64'), pair] as const);
  return [...new Map(byBytes.toReversed()).values()];
}
