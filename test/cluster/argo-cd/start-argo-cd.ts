import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { freePort } from '../../../src/main/ports.ts';
import type { ToolSearch } from '../../../src/main/tools/tool.ts';
import { debianPrograms } from '../../support/debian-programs.ts';
import { apply, type KubectlAccess } from '../control-plane/kubectl.ts';
import { startProgram, type Running } from '../control-plane/start-program.ts';
import { argoCd, helm } from '../tools/argo-cd.ts';
import { pathOf } from '../tools/path-of.ts';
import { argoCdKinds, argoCdNamespace, argoCdSettings, defaultProject } from './settings.ts';

/** Argo CD as a cluster has it, with its programs beside this process instead of in pods. */
export async function startArgoCd(access: KubectlAccess, search: ToolSearch): Promise<{ stop(): Promise<void> }> {
  const bin = pathOf(await argoCd(search));
  const helmBin = dirname(pathOf(await helm(search)));
  await apply(access, [...(await argoCdKinds(bin)), ...argoCdSettings]);
  await apply(access, [defaultProject]);

  const folder = await mkdtemp(join(tmpdir(), 'argo-cd-'));
  const running: Running[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((program) => program.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const redis = await startRedis(folder);
    running.push(redis.program);
    const path = [bin, helmBin, process.env['PATH']].join(delimiter);
    const start = await starter({ access, executable: join(bin, 'argocd'), folder, path });
    const ports = { repoServer: await freePort(), metrics: await freePort() };
    const repoServer = await start('argocd-repo-server', {
      address: '127.0.0.1',
      port: String(ports.repoServer),
      'metrics-address': '127.0.0.1',
      'metrics-port': String(ports.metrics),
      redis: redis.address,
      'disable-tls': 'true',
    });
    running.push(repoServer);
    const controller = await start('argocd-application-controller', {
      'repo-server': `127.0.0.1:${ports.repoServer}`,
      'repo-server-plaintext': 'true',
      redis: redis.address,
      'metrics-port': String(await freePort()),
      'application-namespaces': 'org-*',
      namespace: argoCdNamespace,
      kubeconfig: access.kubeconfig,
    });
    running.push(controller);
    await repoServer.until(() => listens(ports.repoServer));
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startRedis(folder: string): Promise<{ program: Running; address: string }> {
  const wanted = { packages: ['redis-server'] as const, probe: 'redis-server', purpose: 'Argo CD keeps its cache in' };
  const found = await debianPrograms(wanted);
  if ('missing' in found) throw new Error(found.missing);
  const port = await freePort();
  const flags = { port: String(port), bind: '127.0.0.1', save: '', appendonly: 'no', dir: folder };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const redis = { executable: found.run('redis-server'), flags: {}, args, env: found.env };
  const program = await startProgram('Redis', redis, join(folder, 'redis.log'));
  await program.until(() => listens(port));
  return { program, address: `127.0.0.1:${port}` };
}

/** One program that is several, by the name that it is given. */
async function starter(where: { access: KubectlAccess; executable: string; folder: string; path: string }) {
  const { access, executable, folder, path } = where;
  const scratch = join(folder, 'tmp');
  for (const name of ['tmp', 'tls', 'ssh', 'gpg']) await mkdir(join(folder, name));
  const env = {
    PATH: path,
    HOME: folder,
    TMPDIR: scratch,
    KUBECONFIG: access.kubeconfig,
    // "In the cluster" is where that kubeconfig leads.
    ARGOCD_FAKE_IN_CLUSTER: 'true',
    ARGOCD_GPG_ENABLED: 'false',
    ARGOCD_TLS_DATA_PATH: join(folder, 'tls'),
    ARGOCD_SSH_DATA_PATH: join(folder, 'ssh'),
    ARGOCD_GPG_DATA_PATH: join(folder, 'gpg'),
    ARGOCD_PLUGINSOCKFILEPATH: scratch,
    // One path for all of a machine otherwise.
    ARGOCD_ASK_PASS_SOCK: join(folder, 'ask-pass.sock'),
  };
  return async (name: string, flags: Record<string, string>): Promise<Running> =>
    await startProgram(
      name,
      {
        executable,
        flags,
        env: { ...env, ARGOCD_BINARY_NAME: name },
      },
      join(folder, `${name}.log`),
    );
}

async function listens(port: number): Promise<boolean> {
  return await new Promise((answer) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => answer(socket.destroy() !== undefined)).once('error', () => answer(false));
  });
}
