import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export type KubectlAccess = { kubectl: string; kubeconfig: string };

/** Runs kubectl as an admin; what it says is the answer, and fails with what it complains of. */
export async function kubectl(
  { kubectl: program, kubeconfig }: KubectlAccess,
  args: string[],
  input = '',
): Promise<string> {
  const child = spawn(program, [`--kubeconfig=${kubeconfig}`, ...args], { stdio: 'pipe' });
  child.stdin.end(input);
  const [said, complaint] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    child.exitCode === null ? once(child, 'close') : undefined,
  ]);
  if (child.exitCode !== 0) throw new Error(`kubectl ${args.join(' ')}: ${complaint || said}`);
  return said;
}

/** Has the API server hold these objects, by server-side apply: some are too large for the other kind. */
export async function apply(access: KubectlAccess, objects: object[]): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  await kubectl(access, ['apply', '--server-side', '--force-conflicts', '--filename=-'], JSON.stringify(list));
}
