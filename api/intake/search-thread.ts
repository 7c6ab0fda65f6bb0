import type { KeyObject } from 'node:crypto';
import { getPriority, platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { hasValidSignature } from './has-valid-signature.ts';

export type SearchSecrets = { secrets: KeyObject[] };
export type SearchRequest = { body: Uint8Array; digest: Uint8Array };
/** The index of the matching secret; -1 when none matches. */
export type SearchResponse = number;

// On Linux the priority applies to this thread only, so that requests and workers run first.
if (platform() === 'linux') setPriority(Math.min(19, getPriority() + 10));

let { secrets } = workerData as SearchSecrets;
parentPort?.on('message', (message: SearchSecrets | SearchRequest) => {
  if ('secrets' in message) {
    ({ secrets } = message);
    return;
  }
  const { body, digest } = message;
  const response: SearchResponse = secrets.findIndex((secret) => hasValidSignature(secret, body, digest));
  parentPort?.postMessage(response);
});
