import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CommandResult, SandboxRequest } from '../../../src/integrations/sandbox/sandbox.ts';
import { createTestSandbox } from '../../support/test-sandbox.ts';

/**
 * Attempts to escape the sandbox. The host has a secret in a file, in another checkout and in the environment of a
 * process, and servers that count connections. No attempt may read or change anything, and each must end in time.
 */
const sandbox = createTestSandbox();
const secret = `secret-${randomUUID()}`;
const marker = `redteam-${randomUUID()}`;
let host: string;
let workspace: string;
let bystander: ChildProcess;
let connections = 0;
const servers: Server[] = [];
const targets: Record<string, string> = {};

beforeAll(async () => {
  host = await mkdtemp(join(tmpdir(), 'host-'));
  writeFileSync(join(host, 'store.db'), secret);
  await mkdir(join(host, 'checkouts', 'other'), { recursive: true });
  writeFileSync(join(host, 'checkouts', 'other', 'code.js'), secret);
  bystander = spawn('sleep', ['600'], { env: { CANARY: secret }, stdio: 'ignore' });
  const listen = async (at: { port: number; host: string } | { path: string }): Promise<Server> => {
    const server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => {}).end(secret);
    });
    await new Promise<void>((resolve) => server.listen(at, resolve));
    servers.push(server);
    return server;
  };
  const tcp = await listen({ port: 0, host: '127.0.0.1' });
  await listen({ path: join(host, 'zone.sock') });
  await listen({ path: `\0${marker}` });
  const ownAddress = Object.values(networkInterfaces()).flatMap(
    (all) => all?.filter(({ internal }) => !internal) ?? [],
  );
  Object.assign(targets, {
    HOST: host,
    PROJECT: join(import.meta.dirname, '../../..'),
    PORT: String((tcp.address() as AddressInfo).port),
    PID: String(bystander.pid),
    OURS: String(process.pid),
    LAN: ownAddress.find(({ family }) => family === 'IPv4')?.address ?? '192.168.1.1',
    MARKER: marker,
  });
});
afterAll(async () => {
  bystander.kill('SIGKILL');
  for (const server of servers) server.close();
  await rm(host, { recursive: true, force: true });
});
beforeEach(async () => {
  workspace = join(host, 'checkouts', randomUUID());
  await mkdir(workspace, { recursive: true });
});
afterEach(expectUnharmed);

/** Asserts that no server was reached, no process or file was changed, and no process remains. */
function expectUnharmed(): void {
  expect(connections).toBe(0);
  expect(bystander.exitCode).toBeNull();
  expect(bystander.signalCode).toBeNull();
  expect(readFileSync(join(host, 'store.db'), 'utf8')).toBe(secret);
  expect(readFileSync(join(host, 'checkouts', 'other', 'code.js'), 'utf8')).toBe(secret);
  for (const folder of [
    '/',
    '/tmp',
    '/dev/shm',
    '/etc',
    '/usr',
    '/usr/bin',
    '/var/tmp',
    '/run',
    host,
    dirname(workspace),
  ])
    expect(existsSync(join(folder, marker)), folder).toBe(false);
  execFileSync('rm', ['-rf', workspace]);
  expect(listProcesses(marker)).toEqual([]);
}

function listProcesses(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

type Options = Pick<SandboxRequest, 'limits'> & { timeoutMs?: number };

async function attempt(script: string, { timeoutMs = 10_000, limits }: Options = {}): Promise<CommandResult> {
  const began = performance.now();
  const argv = ['/bin/bash', '-c', script];
  const result = await sandbox.run(
    { argv, workspace: { path: workspace, writable: true }, environment: targets, ...(limits && { limits }) },
    { timeoutMs, outputBytesMax: 30_000 },
  );
  expect(performance.now() - began).toBeLessThan(timeoutMs + 5_000);
  expect(result.output).not.toContain(secret);
  expect(result.output).not.toMatch(/^GOT/m);
  return result;
}

const tcp = (address: string, port: string): string =>
  `timeout 3 bash -c 'exec 3<>/dev/tcp/${address}/${port} && echo GOT && cat <&3'`;
const socket = (path: string): string =>
  `timeout 5 node -e "require('net').connect({ path: ${path} }).on('data', (d) => console.log('GOT ' + d)).on('error', (e) => console.log(e.code))"`;
const raw = (numbers: string): string => `perl -e '$r = syscall(${numbers}); print $r >= 0 ? "GOT $r" : "refused $!"'`;

describe('reading data of the host', () => {
  it.each([
    ['environments of other processes', 'cat /proc/*/environ | tr "\\0" "\\n" | grep CANARY'],
    ['the environment of a process of the host', 'cat /proc/$PID/environ /proc/$OURS/environ'],
    [
      'the roots of other processes',
      'for p in /proc/[0-9]*; do cat $p/root$HOST/store.db $p/cwd/../other/code.js; done',
    ],
    ['the memory of other processes', 'cat /proc/$PID/mem /proc/$OURS/mem /proc/1/mem | head -c 10'],
    ['the store', 'cat $HOST/store.db'],
    ['another run’s checkout', 'cat ../other/code.js /workspace/../other/code.js $HOST/checkouts/other/code.js'],
    ['the store through a link', 'ln -s $HOST/store.db link; cat link; ln -s / root; cat root$HOST/store.db'],
    ['the store through a hard link', 'ln $HOST/store.db hard; cat hard'],
    ['the code of the service', 'ls $PROJECT && echo GOT; cat $PROJECT/package.json && echo GOT'],
    [
      'users and their passwords',
      'cat /etc/shadow && echo GOT; grep -v -e sandbox -e root -e "nobod[y]" -e agent: /etc/passwd && echo GOT',
    ],
    ['keys in homes', 'ls -A /root /home ~/.ssh ~/.aws ~/.kube ~/.config 2>/dev/null | grep . && echo GOT'],
    ['the host’s temporary files', 'find /tmp /var/tmp /dev/shm -mindepth 1 2>/dev/null | grep . && echo GOT'],
    [
      'disks and memory as devices',
      'for d in sda vda nvme0n1 mem kmem port kmsg; do head -c 1 /dev/$d && echo GOT; done',
    ],
    ['a disk through a new device file', 'mknod disk b 254 0 && head -c 1 disk && echo GOT'],
    [
      'the kernel’s log and memory',
      'dmesg && echo GOT; head -c 1 /proc/kcore && echo GOT; head -c 1 /dev/kmsg && echo GOT',
    ],
    [
      'open files of the service',
      'ls -l /proc/self/fd /proc/1/fd | grep -e / | grep -v -e /dev/null -e /proc/ && echo GOT',
    ],
    ['control groups and system settings', 'ls /sys/fs/cgroup /sys/kernel && echo GOT'],
  ])('%s', async (_, script) => void (await attempt(script)));
});

describe('connecting to servers', () => {
  it.each([
    ['the metadata address', tcp('169.254.169.254', '80')],
    ['a loopback service', tcp('127.0.0.1', '$PORT')],
    [
      'the same service by other names',
      [tcp('localhost', '$PORT'), tcp('0.0.0.0', '$PORT'), tcp('::1', '$PORT')].join(';'),
    ],
    ['the host by its own address', tcp('$LAN', '$PORT')],
    ['the internet', `${tcp('1.1.1.1', '53')}; timeout 3 getent hosts example.com && echo GOT`],
    ['a socket of the host', socket(`process.env.HOST + '/zone.sock'`)],
    ['a socket of the host through a link', `ln -s $HOST/zone.sock s; ${socket(`'/workspace/s'`)}`],
    ['an abstract socket', socket(`'\\\\0' + process.env.MARKER`)],
    [
      'the sockets of daemons',
      'find / -xdev -type s 2>/dev/null | grep . && echo GOT; ls /run/docker.sock /var/run/docker.sock /run/dbus && echo GOT',
    ],
    [
      'a new network interface',
      'ip link add v0 type veth peer name v1 && echo GOT; ip addr add 10.0.0.1/8 dev lo && echo GOT',
    ],
  ])('%s', async (_, script) => void (await attempt(script)));
});

describe('changing the host', () => {
  it.each([
    [
      'files outside of the workspace',
      'for d in / /etc /usr /usr/bin /run /var /var/tmp /root /home /opt $HOST ..; do touch $d/$MARKER; done',
    ],
    ['shared temporary folders', 'touch /tmp/$MARKER /dev/shm/$MARKER'],
    [
      'the store',
      'echo gone > $HOST/store.db; mkdir -p $HOST; echo gone > $HOST/store.db; ln -sf $HOST/store.db l; echo gone > l',
    ],
    ['programs that run later', 'cp /bin/true /opt/node/bin/node && echo GOT; cp /bin/true /usr/bin/git && echo GOT'],
    [
      'settings of the kernel',
      'cd /proc/sys/kernel; for f in core_pattern hostname modprobe; do v=$(cat $f); echo "$v" > $f && echo GOT $f; done; echo b > /proc/sysrq-trigger && echo GOT; echo 1 > /proc/self/oom_score_adj; echo -1000 > /proc/self/oom_score_adj && echo GOT',
    ],
    [
      'mounts',
      'mount -o remount,rw / && echo GOT; mount --bind /workspace /etc && echo GOT; umount -l /workspace && echo GOT; mount -t proc p /tmp && echo GOT',
    ],
    [
      'namespaces',
      'unshare -Ur true && echo GOT; unshare -m true && echo GOT; unshare -n true && echo GOT; nsenter -t 1 -m true && echo GOT',
    ],
    ['the root folder', 'chroot /workspace /bin/true && echo GOT; pivot_root . . && echo GOT'],
    [
      'the user id',
      'cp /bin/bash b; chmod 6755 b; ./b -p -c "id -u" | grep -x 0 && echo GOT; su -c id && echo GOT; setpriv --reuid 0 true && echo GOT',
    ],
    ['a process of the host', 'kill -9 $PID && echo GOT; kill -9 $OURS && echo GOT; kill -STOP $PID && echo GOT'],
    ['all processes', 'kill -9 -1; echo still'],
    ['a process of the host, by tracing it', `${raw('101, 16, $ENV{PID}, 0, 0')}; gdb -p $PID -batch && echo GOT`],
    ['the clock and the name of the host', 'date -s 2001-01-01 && echo GOT; hostname pwned && echo GOT'],
    ['the input of a terminal', `perl -e 'open(T, "+</dev/tty") or exit; ioctl(T, 0x5412, "x") and print "GOT"'`],
  ])('%s', async (_, script) => void (await attempt(script)));
});

describe('system calls', () => {
  it.each([
    ['a keyring of the service’s user', '250, 0, -4, 1', 'permitted'],
    ['the content of a key', '250, 11, -4, 0, 0', 'permitted'],
    ['a request for a key', '249, 0, 0, 0, 0', 'permitted'],
    ['a BPF program', '321, 0, 0, 0', 'permitted'],
    ['a kernel module', '175, 0, 0, 0', 'permitted'],
    ['loading another kernel', '246, 0, 0, 0, 0', 'permitted'],
    ['performance counters', '298, 0, 0, -1, -1, 0', 'permitted'],
    ['io_uring', '425, 1, 0', 'permitted'],
    ['files by handle', '304, 0, 0, 0', 'permitted'],
    ['new namespaces', '272, 0x10000000', 'permitted'],
    ['a new file system', '430, 0, 0', 'permitted'],
    ['raw packets', '41, 17, 3, 768', 'Address family'],
    ['a vsock to the hypervisor', '41, 40, 1, 0', 'Address family'],
    ['calls with x32 numbers', '0x40000027', 'not implemented'],
  ])('blocks %s', async (_, numbers, cause) => {
    if (process.arch !== 'x64') return;
    const { output } = await attempt(raw(numbers));
    expect(output).toMatch(new RegExp(`refused .*${cause}`));
  });
});

describe('exhausting the host', () => {
  it('contains a fork bomb', async () => {
    const bomb = `exec -a ${marker} bash -c 'b() { b | b & }; b; sleep 60'`;
    await attempt(bomb, { timeoutMs: 2_500, limits: { processes: 64 } });
  });

  it('limits the memory of many processes together', async () => {
    const eat = 'const a = []; for (;;) a.push(Buffer.alloc(5e6, 1))';
    const script = `for i in 1 2 3; do node -e "${eat}" ${marker} & done; wait`;
    await attempt(script, { limits: { memoryBytes: 200 * 1024 ** 2 } });
  });

  it('limits the size of temporary files', async () => {
    const { output } = await attempt(
      'head -c 3G /dev/zero > /tmp/big; head -c 3G /dev/zero > /dev/shm/big; echo ended',
    );
    expect(output).not.toContain('GOT');
  });

  it('limits the disk space of large files', async () => {
    const script = 'for i in $(seq 1000); do head -c 20M /dev/zero > f$i; sleep 0.05; done; echo GOT it full';
    const { output } = await attempt(script, { limits: { diskBytes: 100 * 1024 ** 2 } });
    expect(output).toContain('/workspace exceeds');
    expect(Number.parseInt(execFileSync('du', ['-sm', workspace], { encoding: 'utf8' }), 10)).toBeLessThan(400);
  });

  it('limits the number of files', async () => {
    const script = 'mkdir d; cd d; for i in $(seq 2000); do touch $i-{1..50}; done; echo GOT it full';
    const { output } = await attempt(script, { limits: { diskFiles: 2_000 } });
    expect(output).toContain('/workspace exceeds');
  });

  it('kills a command with endless output', async () => {
    const { output, timedOut } = await attempt('yes "$(head -c 1000 /dev/zero | tr "\\0" x)"', { timeoutMs: 20_000 });
    expect(timedOut).toBe(false);
    expect(output.length).toBeLessThan(40_000);
  });

  it('kills a command that ignores signals', async () => {
    const stubborn = `trap "" TERM INT HUP QUIT; while :; do sleep 1; done`;
    const script = `exec -a ${marker} bash -c '${stubborn}' & (trap "" TERM; sleep 100) & ${stubborn}`;
    expect(await attempt(script, { timeoutMs: 1_000 })).toMatchObject({ timedOut: true });
  });

  it('kills daemons that outlive the command', async () => {
    const daemon = `setsid nohup bash -c 'exec -a ${marker} sleep 300' >/dev/null 2>&1 </dev/null &`;
    const node = `require('child_process').spawn('sleep', ['300'], { argv0: '${marker}', detached: true, stdio: 'ignore' }).unref()`;
    const { exitCode } = await attempt(`(${daemon}) & disown -a; node -e "${node}"; echo left`);
    expect(exitCode).toBe(0);
  });

  it('survives deeply nested folders', async () => {
    const deep = 'for (let i = 0; i < 3000; i++) { fs.mkdirSync("dddddddd"); process.chdir("dddddddd") }';
    await attempt(`node -e '${deep}'`);
  });
});
