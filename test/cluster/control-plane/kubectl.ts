import { setTimeout as pause } from 'node:timers/promises';
import { kubectl } from '../install-kinds.ts';

export type KubectlAccess = { kubectl: string; kubeconfig: string };

/** Of a kind: before it is known, and before it is served. */
const notServedYet = /no matches for kind|could not find the requested resource/;
const applyWithinMs = 30_000;

/** Has the API server hold these objects; those of a kind that it has only just heard of take it a moment. */
export async function apply(access: KubectlAccess, objects: readonly object[]): Promise<void> {
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  for (const giveUpAt = Date.now() + applyWithinMs; ; await pause(100))
    try {
      return void (await kubectl(access, ['apply', '--server-side', '--force-conflicts', '--filename=-'], list));
    } catch (error) {
      if (Date.now() > giveUpAt || !notServedYet.test((error as Error).message)) throw error;
    }
}
