import { createHash, type KeyObject } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { ApiDeps } from '../deps.ts';
import { hashInSlices } from './hash-in-slices.ts';
import type { SearchResponse, SearchRequest, SearchSecrets } from './search-thread.ts';
import type { SignerSnapshot } from './signer-index.ts';
import type { SignedBody, Signer } from './signer.ts';

/** A search over a thousand orgs takes milliseconds, and the code host waits ten seconds, so the queue drains in time. */
const queuedSearchesMax = 64;
const queuedBytesMax = 32 * 1024 * 1024;
const queueTimeoutMs = 8_000;
/** Pauses for as long as the last search took, so that a flood uses at most half of a core. */
const cooldown = async (workedMs: number): Promise<void> => await pause(workedMs, undefined, { ref: false });
const rejectedCacheMax = 10_000;

/**
 * Tries the secrets of all orgs in a worker thread, one body at a time. A body that exceeds the queue is rejected as
 * unsigned; the code host marks that delivery as failed and can send it again.
 */
export function createExhaustiveSearch({ shutdownSignal }: Pick<ApiDeps, 'shutdownSignal'>) {
  const searchInThread = createSearchThread(shutdownSignal);
  const running = new Map<string, Promise<Signer | undefined>>();
  const rejected = new Set<string>();
  let lastSigners: SignerSnapshot | undefined;
  let queuedBytes = 0;
  let previous: Promise<unknown> = Promise.resolve();

  return async (signers: SignerSnapshot, signed: SignedBody): Promise<Signer | undefined> => {
    const content = createHash('sha256');
    await hashInSlices([content], signed.body);
    const key = `${content.digest('base64')}${signed.digest.toString('base64')}`;
    if (signers !== lastSigners) rejected.clear();
    lastSigners = signers;
    if (rejected.has(key)) return undefined;
    const inProgress = running.get(key);
    if (inProgress) return await inProgress;
    if (running.size >= queuedSearchesMax || queuedBytes + signed.body.length > queuedBytesMax) return undefined;

    const deadline = performance.now() + queueTimeoutMs;
    let workedMs = 0;
    const search = previous.then(async () => {
      const startedAt = performance.now();
      if (startedAt > deadline) return undefined;
      const found = await searchInThread(signers, signed);
      workedMs = performance.now() - startedAt;
      return found;
    });
    previous = Promise.allSettled([search]).then(async () => await cooldown(workedMs));
    running.set(key, search);
    queuedBytes += signed.body.length;
    try {
      const found = await search;
      if (found === undefined && signers === lastSigners && performance.now() <= deadline)
        rememberRejected(rejected, key);
      return found;
    } finally {
      running.delete(key);
      queuedBytes -= signed.body.length;
    }
  };
}

function rememberRejected(rejected: Set<string>, key: string): void {
  rejected.add(key);
  if (rejected.size <= rejectedCacheMax) return;
  // A set keeps insertion order, so its first entry is the oldest.
  for (const oldest of rejected) return void rejected.delete(oldest);
}

/** Starts the thread with the first search and again after it exits; callers must send one search at a time. */
function createSearchThread(shutdownSignal: AbortSignal | undefined) {
  let thread: Worker | undefined;
  let pending: PromiseWithResolvers<SearchResponse> | undefined;
  let loaded: SignerSnapshot | undefined;
  let owners: Signer[] = [];

  const start = (first: SearchSecrets): Worker => {
    const worker = new Worker(new URL('search-thread.ts', import.meta.url), { workerData: first });
    worker.on('message', (response: SearchResponse) => pending?.resolve(response));
    let cause: unknown;
    // An error without a listener would end the process.
    worker.once('error', (error) => void (cause = error));
    worker.once('exit', () => {
      thread = undefined;
      pending?.reject(new Error('The thread that searches for a signer exited.', { cause }));
    });
    shutdownSignal?.addEventListener('abort', () => void worker.terminate(), { once: true });
    // The thread must not keep the process alive.
    worker.unref();
    return worker;
  };

  return async (signers: SignerSnapshot, { body, digest }: SignedBody): Promise<Signer | undefined> => {
    if (thread === undefined || signers !== loaded) {
      const distinct = listDistinctSecrets(signers);
      const secrets: SearchSecrets = { secrets: distinct.map(({ secret }) => secret) };
      if (thread === undefined) thread = start(secrets);
      else thread.postMessage(secrets);
      loaded = signers;
      owners = distinct.map(({ signer }) => signer);
    }
    pending = Promise.withResolvers();
    thread.postMessage({ body, digest } satisfies SearchRequest);
    return owners[await pending.promise];
  };
}

/** A secret that several orgs share is tried once and attributed to the first of them. */
function listDistinctSecrets({ all }: SignerSnapshot): { secret: KeyObject; signer: Signer }[] {
  const pairs = all.flatMap((signer) => signer.secrets.map((secret) => ({ secret, signer })));
  const byBytes = pairs.map((pair) => [pair.secret.export().toString('base64'), pair] as const);
  return [...new Map(byBytes.toReversed()).values()];
}
