import { spawn, type ChildProcess, type IOType } from 'node:child_process';
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { execPath } from 'node:process';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../../errors.ts';
import { createControlGroup, removeLeftControlGroups } from './control-group.ts';
import { runToEnd } from './run-to-end.ts';
import type { Sandbox, SandboxRequest } from './sandbox.ts';
import { systemCallFilter } from './system-calls.ts';
import { watchDisk } from './watch-disk.ts';

const GiB = 1024 ** 3;
/** Enough for a package manager with a test runner and its workers (threads count as processes). */
const defaultLimits = { memoryBytes: 2 * GiB, processes: 512, fileBytes: GiB, cpuSeconds: 900 };
/** What a checkout with everything installed and built may take on the host. */
const defaultDiskLimits = { diskBytes: 8 * GiB, diskFiles: 1_000_000 };
type LimitsOfProcess = Omit<typeof defaultLimits, 'memoryBytes'> & { memoryBytes: number | undefined };
const temporaryBytes = GiB / 2;
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
  /** Host path of `bwrap` (0.8 or newer). */
  executable: string;
  /** Host path of the Node that is first on PATH inside. */
  node?: string;
};

/** The sandbox of a Linux host: namespaces of its own for everything, by `bwrap`. */
export function bubblewrapSandbox({ executable, node = execPath }: BubblewrapOptions): Sandbox {
  removeLeftControlGroups();
  const system = [...systemFolders(), ...systemSettings(), ...nodeProgram(realpathSync(node))];
  const filter = systemCallFilter();

  const start = (request: SandboxRequest, command: string[]): ChildProcess => {
    const limits = { ...defaultLimits, ...request.limits };
    if (!existsSync(executable)) throw missing(executable);
    const group = createControlGroup(limits);
    const rules = limited(group ? { ...limits, memoryBytes: undefined } : limits);
    const inside = [...isolation(request), ...system, ...places(request), '--', ...rules, ...command];
    const child = spawnWithNothing([executable, ...inside], { procsFiles: group?.procsFiles ?? [], filter });
    child.once('close', () => group?.remove());
    child.once('error', () => group?.remove());
    return child;
  };

  return {
    spawn: (request) => start(request, request.argv),
    async run(request, options) {
      // One pipe for both, so that what a person reads is in the order in which it was written.
      const child = start(request, ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', ...request.argv]);
      // Ending bwrap ends the first process of the pid namespace (--die-with-parent), and with it all others.
      const kill = (): boolean => child.kill('SIGKILL');
      const limits = { ...defaultDiskLimits, ...request.limits };
      let isFull = false;
      const disk = watchDisk(request.workspace.path, limits, () => {
        isFull = true;
        kill();
      });
      const result = await runToEnd(child, kill, options).finally(() => disk.stop());
      return isFull ? { ...result, output: `${result.output}\n${fullNotice(limits)}` } : result;
    },
  };
}

const fullNotice = ({ diskBytes, diskFiles }: typeof defaultDiskLimits): string =>
  `[… ended: /workspace holds more than ${diskBytes} bytes or ${diskFiles} files; delete some …]`;

function missing(executable: string): ServiceError {
  const fix = 'Install bubblewrap 0.8 or newer, or name its path.';
  return new ServiceError('unavailable', `There is no sandbox on this host: ${executable} does not exist. ${fix}`);
}

function isolation({ network, environment }: SandboxRequest): string[] {
  return [
    '--unshare-all',
    '--unshare-user',
    '--disable-userns',
    ...(network ? ['--share-net'] : []),
    '--cap-drop',
    'ALL',
    '--new-session',
    '--die-with-parent',
    '--uid',
    '1000',
    '--gid',
    '1000',
    '--hostname',
    'sandbox',
    '--clearenv',
    ...Object.entries({ ...defaultEnvironment, ...environment }).flatMap(([name, value]) => ['--setenv', name, value]),
    ...(network ? readOnlyIfThere('/etc/resolv.conf') : []),
  ];
}

function systemFolders(): string[] {
  const merged = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'].flatMap((path) => {
    if (!existsSync(path)) return [];
    return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
  });
  return ['--ro-bind', '/usr', '/usr', ...merged, '--proc', '/proc', '--dev', '/dev'];
}

/** What programs look up in /etc: certificates and the linker's cache of the host, users and hosts of our own making. */
function systemSettings(): string[] {
  const ours = ['passwd', 'group', 'hosts', 'nsswitch.conf'].flatMap((name) => {
    return ['--ro-bind', fileURLToPath(new URL(`etc/${name}`, import.meta.url)), `/etc/${name}`];
  });
  const hosts = [
    'ld.so.cache',
    'alternatives',
    'ssl/certs',
    'ssl/openssl.cnf',
    'ca-certificates',
    'pki/tls/certs',
    'localtime',
  ];
  return [...hosts.flatMap((name) => readOnlyIfThere(`/etc/${name}`)), ...ours];
}

function nodeProgram(node: string): string[] {
  const npm = join(dirname(node), '../lib/node_modules/npm');
  const withNpm = existsSync(npm)
    ? ['--ro-bind', npm, '/opt/npm', '--symlink', '/opt/npm/bin/npm-cli.js', '/opt/node/bin/npm']
    : [];
  return ['--ro-bind', node, '/opt/node/bin/node', ...withNpm];
}

function places({ workspace, mounts = [] }: SandboxRequest): string[] {
  const bind = (writable: boolean): string => (writable ? '--bind' : '--ro-bind');
  return [
    '--size',
    String(temporaryBytes),
    '--tmpfs',
    '/tmp',
    '--size',
    String(sharedMemoryBytes),
    '--tmpfs',
    '/dev/shm',
    '--remount-ro',
    '/dev',
    // The owner of the kernel's settings may write them in any namespace, and for a service of root that is us.
    '--remount-ro',
    '/proc',
    bind(workspace.writable),
    workspace.path,
    '/workspace',
    ...mounts.flatMap(({ host, inside, writable }) => [bind(writable), host, inside]),
    '--remount-ro',
    '/',
    '--chdir',
    '/workspace',
  ];
}

/** The limits of one process; `memoryBytes` only where no control group counts what is really used by all. */
function limited(limits: LimitsOfProcess): string[] {
  const { memoryBytes, processes, fileBytes, cpuSeconds } = limits;
  const script = [
    // Shells disagree on the letter for the number of processes.
    `if (ulimit -u ${processes}) 2>/dev/null; then ulimit -u ${processes}; else ulimit -p ${processes}; fi`,
    // Node reserves much more than it uses, and does not start under less than this.
    ...(memoryBytes ? [`ulimit -d ${Math.ceil(Math.max(memoryBytes, GiB) / 1024)}`] : []),
    `ulimit -f ${Math.ceil(fileBytes / 512)} && ulimit -t ${cpuSeconds} && ulimit -c 0 && exec "$@"`,
  ].join('\n');
  return ['/bin/sh', '-c', script, 'sh'];
}

type Spawning = { procsFiles: string[]; filter: Buffer | undefined };

/**
 * Starts bwrap with an empty environment (its own is readable inside as /proc/1/environ) and no open file but the
 * three of every program, and the filter of system calls, which it closes when it has read it.
 */
function spawnWithNothing([executable = '', ...rest]: string[], { procsFiles, filter }: Spawning): ChildProcess {
  const script = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done; shift; exec /usr/bin/env -i "$@"';
  const covered = coveredFiles();
  const filterFd = covered.stdio.length;
  const withFilter = filter ? ['--seccomp', String(filterFd)] : [];
  try {
    const child = spawn('/bin/sh', ['-c', script, 'sh', ...procsFiles, '--', executable, ...withFilter, ...rest], {
      cwd: '/',
      env: {},
      stdio: filter ? [...covered.stdio, 'pipe'] : covered.stdio,
    });
    // A bwrap that could not start has no use for it, and says why itself.
    const pipe = child.stdio[filterFd] as Writable | undefined;
    pipe?.on('error', () => {}).end(filter);
    return child;
  } finally {
    covered.close();
  }
}

/** Files that this process inherited itself would be inherited on: /dev/null is put over them. */
function coveredFiles(): { stdio: (IOType | number)[]; close: () => void } {
  const inherited = readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd > 2 && !closedOnExec(fd));
  const nothing = openSync('/dev/null', 'r');
  const stdio: (IOType | number)[] = ['ignore', 'pipe', 'pipe'];
  for (let fd = 3; fd <= Math.max(2, ...inherited); fd += 1) stdio.push(inherited.includes(fd) ? nothing : 'ignore');
  return { stdio, close: () => closeSync(nothing) };
}

function closedOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
    return flags === undefined || (Number.parseInt(flags, 8) & 0o2000000) !== 0;
  } catch {
    return true; // Closed since the folder was read: it was the reading itself.
  }
}

function readOnlyIfThere(path: string): string[] {
  return existsSync(path) ? ['--ro-bind', realpathSync(path), path] : [];
}
