import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import type { ToolSearch } from '../../../src/main/tools/tool.ts';
import { ensureDebianPrograms } from '../../support/servers/debian-programs.ts';
import { applyObjects, type KubectlAccess } from '../control-plane/kubectl.ts';
import { startProgram, type RunningProgram } from '../control-plane/start-program.ts';
import { ensureArgoCd, ensureHelm } from '../tools/ensure-argo-cd.ts';
import { getToolPath } from '../tools/get-tool-path.ts';
import { loadArgoCdCrds, argoCdNamespace, argoCdManifests, defaultProject } from './manifests.ts';

/** Starts Argo CD with its programs as local processes instead of in pods. */
export async function startArgoCd(access: KubectlAccess, search: ToolSearch): Promise<{ stop(): Promise<void> }> {
  const bin = getToolPath(await ensureArgoCd(search));
  const helmBin = dirname(getToolPath(await ensureHelm(search)));
  await applyObjects(access, [...(await loadArgoCdCrds(bin)), ...argoCdManifests]);
  await applyObjects(access, [defaultProject]);

  const folder = await mkdtemp(join(tmpdir(), 'argo-cd-'));
  const running: RunningProgram[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((program) => program.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const redis = await startRedis(folder);
    running.push(redis.program);
    const path = [bin, helmBin, process.env['PATH']].join(delimiter);
    const start = await createStarter({ access, executable: join(bin, 'argocd'), folder, path });
    const ports = { repoServer: await reservePort(), metrics: await reservePort() };
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
      'metrics-port': String(await reservePort()),
      'application-namespaces': 'org-*',
      namespace: argoCdNamespace,
      kubeconfig: access.kubeconfig,
    });
    running.push(controller);
    await repoServer.waitUntilReady(() => isListening(ports.repoServer));
    return { stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startRedis(folder: string): Promise<{ program: RunningProgram; address: string }> {
  const request = { packages: ['redis-server'] as const, probe: 'redis-server', purpose: 'Argo CD uses as a cache' };
  const found = await ensureDebianPrograms(request);
  if ('missing' in found) throw new Error(found.missing);
  const port = await reservePort();
  const flags = { port: String(port), bind: '127.0.0.1', save: '', appendonly: 'no', dir: folder };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const redis = { executable: found.pathTo('redis-server'), flags: {}, args, env: found.env };
  const program = await startProgram('Redis', redis, join(folder, 'redis.log'));
  await program.waitUntilReady(() => isListening(port));
  return { program, address: `127.0.0.1:${port}` };
}

/** Returns a function that starts Argo CD's components, which are one program with different names. */
async function createStarter(options: { access: KubectlAccess; executable: string; folder: string; path: string }) {
  const { access, executable, folder, path } = options;
  const scratch = join(folder, 'tmp');
  for (const name of ['tmp', 'tls', 'ssh', 'gpg']) await mkdir(join(folder, name));
  const env = {
    PATH: path,
    HOME: folder,
    TMPDIR: scratch,
    KUBECONFIG: access.kubeconfig,
    // Argo CD then uses the kubeconfig as its own cluster.
    ARGOCD_FAKE_IN_CLUSTER: 'true',
    ARGOCD_GPG_ENABLED: 'false',
    ARGOCD_TLS_DATA_PATH: join(folder, 'tls'),
    ARGOCD_SSH_DATA_PATH: join(folder, 'ssh'),
    ARGOCD_GPG_DATA_PATH: join(folder, 'gpg'),
    ARGOCD_PLUGINSOCKFILEPATH: scratch,
    // The default path is shared by all processes of a machine.
    ARGOCD_ASK_PASS_SOCK: join(folder, 'ask-pass.sock'),
  };
  return async (name: string, flags: Record<string, string>): Promise<RunningProgram> =>
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

async function isListening(port: number): Promise<boolean> {
  return await new Promise((answer) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => answer(socket.destroy() !== undefined)).once('error', () => answer(false));
  });
}
