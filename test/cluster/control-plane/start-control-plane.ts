import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../src/main/ports.ts';
import { type ToolSearch, toolCacheDir } from '../../../src/main/tools/tool.ts';
import { etcd, kubernetes } from '../tools/kubernetes.ts';
import { pathOf } from '../tools/path-of.ts';
import { prepareApiServer, type ApiServer } from './api-server.ts';
import { kubeconfigFor } from './kubeconfig.ts';
import { startProgram, type Running } from './start-program.ts';

export type ControlPlane = {
  /** The file of an admin's kubeconfig. */
  kubeconfig: string;
  server: string;
  /** In base64, as kubeconfigs have it. */
  caData: string;
  adminToken: string;
  kubectl: string;
  /** Kills the API server and starts it again; answers once it serves. */
  restartApiServer(): Promise<void>;
  stop(): Promise<void>;
};

/** A Kubernetes control plane of our own on loopback; its programs are built once. It ends with this process. */
export async function startControlPlane(search: ToolSearch = ownSearch()): Promise<ControlPlane> {
  const bin = pathOf(await kubernetes(search));
  const etcdBin = pathOf(await etcd(search));
  await clearStaleFolders();
  const folder = await mkdtemp(join(tmpdir(), `control-plane-${process.pid}-`));
  const running: Running[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(running.map((program) => program.stop()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const etcdUrl = await startEtcd({ folder, bin: etcdBin, running });
    const api = await prepareApiServer({ folder, executable: join(bin, 'kube-apiserver'), etcdUrl });
    let apiServer = await api.start();
    running.push({ until: (isReady) => apiServer.until(isReady), stop: () => apiServer.stop() });
    await apiServer.until(api.isReady);
    const { server, token } = api;
    const caData = (await readFile(api.caFile)).toString('base64');
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, kubeconfigFor({ server, caData, token }));
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
        await apiServer.until(api.isReady);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A process that is killed takes its programs with it, but not its folder. */
async function clearStaleFolders(): Promise<void> {
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

async function startEtcd({ folder, bin, running }: { folder: string; bin: string; running: Running[] }) {
  const url = `http://127.0.0.1:${await freePort()}`;
  const peers = `http://127.0.0.1:${await freePort()}`;
  const flags = {
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': url,
    'advertise-client-urls': url,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `default=${peers}`,
    'log-level': 'warn',
    // It outlives no machine.
    'unsafe-no-fsync': 'true',
  };
  const etcdProgram = { executable: join(bin, 'server'), flags };
  running.push(await startProgram('etcd', etcdProgram, join(folder, 'etcd.log')));
  return url;
}

/** The controllers and the scheduler wait for the API server by themselves. */
async function startControllers(
  { folder, bin, kubeconfig }: { folder: string; bin: string; kubeconfig: string },
  { caFile, serviceAccountKeyFile }: ApiServer,
): Promise<Running[]> {
  const alone = { kubeconfig, 'leader-elect': 'false', 'secure-port': '0' };
  const controllers = {
    ...alone,
    'root-ca-file': caFile,
    'service-account-private-key-file': serviceAccountKeyFile,
    // What is left of an owner goes after seconds, not minutes.
    'namespace-sync-period': '10s',
  };
  const start = (name: string, flags: Record<string, string>) =>
    startProgram(name, { executable: join(bin, name), flags }, join(folder, `${name}.log`));
  return await Promise.all([start('kube-controller-manager', controllers), start('kube-scheduler', alone)]);
}

function ownSearch(): ToolSearch {
  const onProgress = (message: string) => void process.stderr.write(`${message}\n`);
  return { cacheDir: toolCacheDir(process.env), env: process.env, onProgress };
}
