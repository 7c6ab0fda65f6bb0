import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

export type KubectlAccess = { kubectl: string; kubeconfig: string };

/** Runs kubectl as the cluster's admin. The error contains its output. */
export async function kubectl(cluster: KubectlAccess, args: string[], input = ''): Promise<string> {
  const child = spawn(cluster.kubectl, [`--kubeconfig=${cluster.kubeconfig}`, ...args]);
  // Most commands exit without reading it; the exit status tells what failed.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ]);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${errors}`);
  return output;
}

/** The first error means that the kind is unknown, the second that it is not served yet. */
const notServedYetPattern = /no matches for kind|could not find the requested resource/;
const applyTimeoutMs = 60_000;

/** Applies objects. Retries while the API server does not serve a kind yet that was just installed. */
export async function applyObjects(access: KubectlAccess, objects: readonly object[]): Promise<void> {
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  for (const deadline = Date.now() + applyTimeoutMs; ; await pause(100))
    try {
      return void (await kubectl(access, ['apply', '--server-side', '--force-conflicts', '--filename=-'], list));
    } catch (error) {
      if (Date.now() > deadline || !notServedYetPattern.test((error as Error).message)) throw error;
    }
}
