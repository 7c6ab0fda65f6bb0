import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { dirname } from 'node:path';
import { execPath } from 'node:process';
import { findBubblewrap } from '../../support/test-sandbox.ts';

/**
 * A host in a box: the files, the processes and the network of the test are visible, and the script is root. It is in a
 * user namespace with its own processes, so that even `kill -9 -1` reaches nothing else.
 */
const boxOptions = (host: string, project: string): string[] =>
  [
    '--unshare-user --uid 0 --gid 0 --cap-add ALL --unshare-pid --unshare-ipc --unshare-uts --as-pid-1 --die-with-parent',
    '--tmpfs / --ro-bind /usr /usr --proc /proc --dev /dev --ro-bind /sys /sys',
    '--symlink usr/bin /bin --symlink usr/sbin /sbin --symlink usr/lib /lib --symlink usr/lib64 /lib64',
    '--dir /root/.ssh --dir /home --dir /opt/node/bin --dir /var/tmp --dir /run --dir /etc',
    '--ro-bind-try /etc/ld.so.cache /etc/ld.so.cache --ro-bind-try /etc/alternatives /etc/alternatives',
    '--ro-bind /etc/passwd /etc/passwd --ro-bind /etc/hosts /etc/hosts',
    '--bind /tmp /tmp --bind /dev/shm /dev/shm',
  ]
    .flatMap((line) => line.split(' '))
    .concat('--bind', host, host, '--ro-bind', project, project, '--bind', `${host}/zone.sock`, '/run/docker.sock');

/**
 * Starts a process of the box's host, runs the script without a sandbox, and prints GOT when that process has ended. The
 * kernel takes a moment to start and to end a process, and more on a busy machine.
 */
const wrapper = `CANARY=$SECRET sleep 600 & export PID=$! OURS=$!; unset SECRET
until grep -qz ^CANARY= /proc/$PID/environ; do sleep 0.01; done
bash -c "$SCRIPT"
for i in $(seq $PATIENCE); do jobs -r | grep -q . || break; sleep 0.1; done
jobs -r | grep -q . || echo GOT the process`;

type WeakRun = { script: string; host: string; workspace: string; secret: string; environment: Record<string, string> };

/** Runs a script without the defence that the sandbox is, and returns its output. */
export async function runWithoutSandbox({ script, host, workspace, secret, environment }: WeakRun): Promise<string> {
  const env = {
    ...environment,
    PATH: `${dirname(execPath)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin`,
    HOME: '/root',
    SECRET: secret,
    SCRIPT: script,
    PATIENCE: script.includes('kill') ? '600' : '0',
  };
  const project = environment['PROJECT'] ?? '';
  const options = [
    ...boxOptions(host, project),
    '--ro-bind',
    dirname(execPath),
    dirname(execPath),
    '--chdir',
    workspace,
  ];
  // The network is its own only where the script changes it.
  const network = script.includes('ioctl(S') ? ['--unshare-net'] : [];
  const leaked = openSync(`${host}/store.db`, 'r');
  const child = spawn(findBubblewrap(), [...options, ...network, '--', 'bash', '-c', wrapper], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', leaked],
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data: Buffer) => void (output = (output + data.toString()).slice(-1_000_000)));
  await new Promise((resolve) => child.once('close', resolve));
  return output;
}
