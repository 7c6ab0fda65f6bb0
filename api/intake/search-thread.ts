import type { KeyObject } from 'node:crypto';
import { getPriority, platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { signedBy } from './signed-by.ts';

export type SearchSecrets = { secrets: KeyObject[] };
export type SearchQuestion = { body: Uint8Array; given: Uint8Array };
/** Where among the secrets the right one is; -1 when nowhere. */
export type SearchAnswer = number;

// On Linux this is the thread's alone: requests and workers come first, but it is never starved.
if (platform() === 'linux') setPriority(Math.min(19, getPriority() + 10));

let { secrets } = workerData as SearchSecrets;
parentPort?.on('message', (message: SearchSecrets | SearchQuestion) => {
  if ('secrets' in message) {
    ({ secrets } = message);
    return;
  }
  const { body, given } = message;
  const answer: SearchAnswer = secrets.findIndex((secret) => signedBy(secret, body, given));
  parentPort?.postMessage(answer);
});
