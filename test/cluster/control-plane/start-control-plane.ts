import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { type ToolSearch, toolCacheDir } from '../../../src/main/tools/tool.ts';
import { ensureEtcd, ensureKubernetes } from '../tools/ensure-kubernetes.ts';
import { getToolPath } from '../tools/get-tool-path.ts';
import { prepareApiServer, type ApiServer } from './api-server.ts';
import { buildKubeconfig } from './kubeconfig.ts';
import { startProgram, type RunningProgram } from './start-program.ts';

export type ControlPlane = {
  /** The path of the admin's kubeconfig. */
  kubeconfig: string;
  server: string;
  /** Base64, as in kubeconfigs. */
  caData: string;
  adminToken: string;
  kubectl: string;
  /** Kills the API server, starts it again and waits until it is ready. */
  restartApiServer(): Promise<void>;
  stop(): Promise<void>;
};

/** Starts a Kubernetes control plane on loopback, whose programs are built once. It ends with this process. */
export async function startControlPlane(
  search: ToolSearch = createToolSearch(),
  { tokenReviewUrl }: { tokenReviewUrl?: string } = {},
): Promise<ControlPlane> {
  const bin = getToolPath(await ensureKubernetes(search));
  const etcdBin = getToolPath(await ensureEtcd(search));
  await removeStaleFolders();
  const folder = await mkdtemp(join(tmpdir(), `control-plane-${process.pid}-`));
  const running: RunningProgram[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((program) => program.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const etcdUrl = await startEtcd({ folder, bin: etcdBin, running });
    const api = await prepareApiServer({ folder, executable: join(bin, 'kube-apiserver'), etcdUrl, tokenReviewUrl });
    let apiServer = await api.start();
    running.push({ waitUntilReady: (isReady) => apiServer.waitUntilReady(isReady), stop: () => apiServer.stop() });
    await apiServer.waitUntilReady(api.isReady);
    const { server, token } = api;
    const caData = (await readFile(api.caFile)).toString('base64');
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, buildKubeconfig({ server, caData, token }));
    running.push(...(await startControllers({ folder, bin, kubeconfig }, api)));
    return {
      kubeconfig,
      server,
      caData,
      adminToken: token,
      kubectl: join(bin, 'kubectl'),
      async restartApiServer() {
        await apiServer.stop();
        apiServer = await api.start();
        await apiServer.waitUntilReady(api.isReady);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Removes the folders of killed processes, whose programs ended with them. */
async function removeStaleFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = /^control-plane-(\d+)-/.exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner)))
      await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function startEtcd({ folder, bin, running }: { folder: string; bin: string; running: RunningProgram[] }) {
  const url = `http://127.0.0.1:${await reservePort()}`;
  const peers = `http://127.0.0.1:${await reservePort()}`;
  const flags = {
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': url,
    'advertise-client-urls': url,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `default=${peers}`,
    'log-level': 'warn',
    // The data does not need to survive a crash of the machine.
    'unsafe-no-fsync': 'true',
  };
  const etcdProgram = { executable: join(bin, 'server'), flags };
  running.push(await startProgram('etcd', etcdProgram, join(folder, 'etcd.log')));
  return url;
}

/** Starts the controllers and the scheduler, which wait for the API server by themselves. */
async function startControllers(
  { folder, bin, kubeconfig }: { folder: string; bin: string; kubeconfig: string },
  { caFile, serviceAccountKeyFile }: ApiServer,
): Promise<RunningProgram[]> {
  const sharedFlags = { kubeconfig, 'leader-elect': 'false', 'secure-port': '0' };
  const controllers = {
    ...sharedFlags,
    'root-ca-file': caFile,
    'service-account-private-key-file': serviceAccountKeyFile,
    // Objects of a deleted owner are removed after seconds instead of minutes.
    'namespace-sync-period': '10s',
  };
  const start = (name: string, flags: Record<string, string>) =>
    startProgram(name, { executable: join(bin, name), flags }, join(folder, `${name}.log`));
  return await Promise.all([start('kube-controller-manager', controllers), start('kube-scheduler', sharedFlags)]);
}

export function createToolSearch(): ToolSearch {
  const onProgress = (message: string) => void process.stderr.write(`${message}\n`);
  return { cacheDir: toolCacheDir(process.env), env: process.env, onProgress };
}
