import { spawn, type ChildProcess, type IOType } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execPath } from 'node:process';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../../errors.ts';
import { isolationOptions, readOnlyIfExists, systemFolderOptions } from '../../processes/bubblewrap-options.ts';
import { createNamespaceKiller } from '../../processes/kill-namespace.ts';
import { createControlGroup, removeStaleControlGroups } from './control-group.ts';
import { runWithinDisk } from './run-within-disk.ts';
import type { Sandbox, SandboxedProcess, SandboxRequest } from './sandbox.ts';
import { createSeccompFilter } from './create-seccomp-filter.ts';

const GiB = 1024 ** 3;
/** Sufficient for a package manager, a test runner and its workers; threads count as processes. */
const defaultLimits = { memoryBytes: 2 * GiB, processes: 512, fileBytes: GiB, cpuSeconds: 900 };
type ProcessLimits = Omit<typeof defaultLimits, 'memoryBytes'> & { memoryBytes: number | undefined };
const relayPath = fileURLToPath(new URL('./relay.mjs', import.meta.url));
const relayInside = '/service/network/relay.mjs';
const proxySocketInside = '/service/network/proxy.sock';
const tmpBytes = GiB / 2;
const sharedMemoryBytes = GiB / 8;

const defaultEnvironment = {
  PATH: '/opt/node/bin:/usr/local/bin:/usr/bin:/bin',
  HOME: '/tmp',
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  CI: 'true',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Agent',
  GIT_AUTHOR_EMAIL: 'agent@localhost',
  GIT_COMMITTER_NAME: 'Agent',
  GIT_COMMITTER_EMAIL: 'agent@localhost',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.directory',
  GIT_CONFIG_VALUE_0: '/workspace',
};

export type BubblewrapOptions = {
  /** The host path of `bwrap`, version 0.8 or newer. */
  executable: string;
  /** The host path of the Node that is first on PATH inside the sandbox. */
  node?: string;
};

/** Runs each command in new Linux namespaces with `bwrap`. */
export function bubblewrapSandbox({ executable, node = execPath }: BubblewrapOptions): Sandbox {
  removeStaleControlGroups();
  const system = [...systemFolderOptions(), ...systemFileOptions(), ...nodeOptions(realpathSync(node))];
  const filter = createSeccompFilter();

  const start = (request: SandboxRequest, command: string[]): SandboxedProcess => {
    const limits = { ...defaultLimits, ...request.limits };
    if (!existsSync(executable)) throw missingExecutableError(executable);
    const group = createControlGroup(limits);
    const rules = ulimitCommand(group ? { ...limits, memoryBytes: undefined } : limits);
    const relay = request.network ? ['node', relayInside] : [];
    const environment = { ...defaultEnvironment, ...request.environment };
    const isolation = [...isolationOptions('sandbox', environment), '--disable-userns'];
    const inside = [...isolation, ...system, ...mountOptions(request), '--', ...rules, ...relay, ...command];
    const options = { procsFiles: group?.procsFiles ?? [], filter };
    const { child, infoFd } = spawnWithEmptyEnvironment([executable, ...inside], options);
    child.once('close', () => group?.remove());
    child.once('error', () => group?.remove());
    return { child, kill: createNamespaceKiller(child, infoFd) };
  };

  return {
    spawn: (request) => start(request, request.argv),
    run: runWithinDisk(start),
  };
}

function missingExecutableError(executable: string): ServiceError {
  const fix = 'Install bubblewrap 0.8 or newer, or name its path.';
  return new ServiceError(
    'sandbox-unavailable',
    `There is no sandbox on this host: ${executable} does not exist. ${fix}`,
  );
}

/** Mounts the certificates and the linker cache of the host, and own files for users and host names. */
function systemFileOptions(): string[] {
  const ownFiles = ['passwd', 'group', 'hosts', 'nsswitch.conf'].flatMap((name) => {
    return ['--ro-bind', fileURLToPath(new URL(`etc/${name}`, import.meta.url)), `/etc/${name}`];
  });
  const hostFiles = [
    'ld.so.cache',
    'alternatives',
    'ssl/certs',
    'ssl/openssl.cnf',
    'ca-certificates',
    'pki/tls/certs',
    'localtime',
  ];
  return [...hostFiles.flatMap((name) => readOnlyIfExists(`/etc/${name}`)), ...ownFiles];
}

function nodeOptions(node: string): string[] {
  const npm = join(dirname(node), '../lib/node_modules/npm');
  const withNpm = existsSync(npm)
    ? ['--ro-bind', npm, '/opt/npm', '--symlink', '/opt/npm/bin/npm-cli.js', '/opt/node/bin/npm']
    : [];
  return ['--ro-bind', node, '/opt/node/bin/node', ...withNpm];
}

function mountOptions({ workspace, network, mounts = [] }: SandboxRequest): string[] {
  const bind = (writable: boolean): string => (writable ? '--bind' : '--ro-bind');
  return [
    '--size',
    String(tmpBytes),
    '--tmpfs',
    '/tmp',
    '--size',
    String(sharedMemoryBytes),
    '--tmpfs',
    '/dev/shm',
    '--remount-ro',
    '/dev',
    // Root can write kernel settings in any namespace, and the service may run as root.
    '--remount-ro',
    '/proc',
    bind(workspace.writable),
    workspace.path,
    '/workspace',
    ...(network ? ['--ro-bind', relayPath, relayInside, '--ro-bind', network.proxySocket, proxySocketInside] : []),
    ...mounts.flatMap(({ host, inside, writable }) => [bind(writable), host, inside]),
    '--remount-ro',
    '/',
    '--chdir',
    '/workspace',
  ];
}

/** Limits each process. `memoryBytes` is only used without a control group, which limits all processes together. */
function ulimitCommand(limits: ProcessLimits): string[] {
  const { memoryBytes, processes, fileBytes, cpuSeconds } = limits;
  const script = [
    // The option for the number of processes differs between shells.
    `if (ulimit -u ${processes}) 2>/dev/null; then ulimit -u ${processes}; else ulimit -p ${processes}; fi`,
    // Node reserves much more memory than it uses, and does not start with a lower limit.
    ...(memoryBytes ? [`ulimit -d ${Math.ceil(Math.max(memoryBytes, GiB) / 1024)}`] : []),
    `ulimit -f ${Math.ceil(fileBytes / 512)} && ulimit -t ${cpuSeconds} && ulimit -c 0 && exec "$@"`,
  ].join('\n');
  return ['/bin/sh', '-c', script, 'sh'];
}

type SpawnOptions = { procsFiles: string[]; filter: Buffer | undefined };

/**
 * Starts bwrap with an empty environment, because its own is readable inside as /proc/1/environ, and without inherited
 * files. The seccomp filter is passed through a pipe that bwrap closes after reading. Its information comes through `infoFd`.
 */
function spawnWithEmptyEnvironment(
  [executable = '', ...rest]: string[],
  { procsFiles, filter }: SpawnOptions,
): { child: ChildProcess; infoFd: number } {
  const script = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done; shift; exec /usr/bin/env -i "$@"';
  const masked = maskInheritedFiles();
  const infoFd = masked.stdio.length;
  const filterFd = infoFd + 1;
  const options = ['--info-fd', String(infoFd), ...(filter ? ['--seccomp', String(filterFd)] : [])];
  try {
    const child = spawn('/bin/sh', ['-c', script, 'sh', ...procsFiles, '--', executable, ...options, ...rest], {
      cwd: '/',
      env: {},
      stdio: [...masked.stdio, 'pipe', ...(filter ? (['pipe'] as const) : [])],
    });
    // Writing fails when bwrap could not start; bwrap reports that error itself.
    const pipe = child.stdio[filterFd] as Writable | undefined;
    pipe?.on('error', () => {}).end(filter);
    return { child, infoFd };
  } finally {
    masked.close();
  }
}

/** Replaces files that this process inherited with /dev/null, so that the sandbox does not inherit them. */
function maskInheritedFiles(): { stdio: (IOType | number)[]; close: () => void } {
  const inherited = readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd > 2 && !isCloseOnExec(fd));
  const devNull = openSync('/dev/null', 'r');
  const stdio: (IOType | number)[] = ['ignore', 'pipe', 'pipe'];
  for (let fd = 3; fd <= Math.max(2, ...inherited); fd += 1) stdio.push(inherited.includes(fd) ? devNull : 'ignore');
  return { stdio, close: () => closeSync(devNull) };
}

function isCloseOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & 0o2000000) !== 0;
  } catch {
    return true; // The file was only open to read the folder.
  }
}
