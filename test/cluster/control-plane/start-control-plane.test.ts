import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, inject, it } from 'vitest';

const cluster = inject('cluster');
const kubectl = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)(cluster.kubectl, [`--kubeconfig=${cluster.kubeconfig}`, ...args])).stdout;

it('enforces permissions of service accounts and runs the controllers', async () => {
  const namespace = `control-plane-${crypto.randomUUID().slice(0, 8)}`;
  await kubectl('create', 'namespace', namespace);
  try {
    await kubectl('create', 'serviceaccount', 'reader', '--namespace', namespace);
    const token = (await kubectl('create', 'token', 'reader', '--namespace', namespace)).trim();
    const canI = async (verb: string, kind: string): Promise<string> =>
      await kubectl('--token', token, 'auth', 'can-i', verb, kind, '--namespace', namespace).catch(() => 'no');
    expect(await canI('list', 'pods')).toBe('no');
    await kubectl('create', 'role', 'reader', '--verb=list', '--resource=pods', '--namespace', namespace);
    await kubectl(
      'create',
      'rolebinding',
      'r',
      '--role=reader',
      `--serviceaccount=${namespace}:reader`,
      '-n',
      namespace,
    );
    await expect.poll(() => canI('list', 'pods')).toContain('yes');

    await kubectl('create', 'deployment', 'app', '--image=app', '--namespace', namespace);
    await expect.poll(() => kubectl('get', 'pods', '-o', 'name', '-n', namespace)).toContain('pod/app-');
  } finally {
    await kubectl('delete', 'namespace', namespace, '--wait=false');
  }
});
