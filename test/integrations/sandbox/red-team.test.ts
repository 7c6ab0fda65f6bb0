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
import { type Attempt, changingAttempts, connectingAttempts, readingAttempts, systemCall } from './attempts.ts';
import { runWithoutSandbox } from './run-without-sandbox.ts';

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
  const tcp = await listen({ port: 0, host: '0.0.0.0' });
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
async function expectUnharmed(): Promise<void> {
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
  // The kernel kills what a command leaves behind, and may do so after the command is reported as ended.
  await expect.poll(() => listProcesses(marker)).toEqual([]);
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

async function attempt(script: string, { timeoutMs = 60_000, limits }: Options = {}): Promise<CommandResult> {
  const argv = ['/bin/bash', '-c', script];
  const result = await sandbox.run(
    { argv, workspace: { path: workspace, writable: true }, environment: targets, ...(limits && { limits }) },
    { timeoutMs, outputBytesMax: 30_000 },
  );
  expect(result.output).not.toContain(secret);
  expect(result.output).not.toMatch(/^GOT/m);
  return result;
}

/** Runs an attempt to its end; a program that is missing would make it pass without an attack. */
async function attemptCompletely({ script }: Attempt): Promise<void> {
  const { output } = await attempt(`${script}\necho "RAN $MARKER"`);
  expect(output).toContain(`RAN ${marker}`);
  expect(output).not.toContain('command not found');
}
const byName = (attempts: Attempt[]) => attempts.map((one) => [one.name, one] as const);

type SystemCall = { name: string; call: string; cause: string; isAllowed?: boolean };
const isArm = process.arch === 'arm64';
/** Builds the call with the number that it has on this processor. `isAllowed` calls reach the kernel of every machine. */
const toCall = (
  name: string,
  [x64, arm64]: [number, number],
  more: { args: string; cause?: string; isAllowed?: boolean },
): SystemCall => ({
  name,
  call: `${isArm ? arm64 : x64}, ${more.args}`,
  cause: more.cause ?? 'permitted',
  isAllowed: more.isAllowed ?? false,
});
const systemCalls: SystemCall[] = [
  toCall('a keyring of the service’s user', [250, 219], { args: '0, -4, 1' }),
  toCall('the content of a key', [250, 219], { args: '11, -4, 0, 0' }),
  toCall('a request for a key', [249, 218], { args: '0, 0, 0, 0' }),
  toCall('a BPF program', [321, 280], { args: '0, 0, 0' }),
  toCall('a kernel module', [175, 105], { args: '0, 0, 0' }),
  toCall('loading another kernel', [246, 104], { args: '0, 0, 0, 0' }),
  toCall('performance counters', [298, 241], { args: '0, 0, -1, -1, 0' }),
  toCall('io_uring', [425, 425], { args: '1, 0' }),
  toCall('files by handle', [304, 265], { args: '0, 0, 0' }),
  toCall('new namespaces', [272, 97], { args: '0x10000000', isAllowed: true }),
  toCall('a new file system', [430, 430], { args: '0, 0' }),
  toCall('raw packets', [41, 198], { args: '17, 3, 768', cause: 'Address family', isAllowed: true }),
  toCall('a vsock to the hypervisor', [41, 198], { args: '40, 1, 0', cause: 'Address family' }),
  // Only x64 has a second set of numbers.
  ...(isArm ? [] : [toCall('calls with x32 numbers', [0x40000027, 0], { args: '0', cause: 'not implemented' })]),
];

describe('reading data of the host', () => {
  it.each(byName(readingAttempts))('%s', async (_, one) => await attemptCompletely(one));
});

describe('connecting to servers', () => {
  it.each(byName(connectingAttempts))('%s', async (_, one) => await attemptCompletely(one));
});

describe('changing the host', () => {
  it.each(byName(changingAttempts))('%s', async (_, one) => await attemptCompletely(one));
});

describe('without the sandbox', () => {
  const shared = ['/tmp', '/dev/shm'].map((folder) => join(folder, marker));
  const isHarmed = (): boolean =>
    connections > 0 ||
    readFileSync(join(host, 'store.db'), 'utf8') !== secret ||
    shared.some((path) => existsSync(path));
  const runWeakly = async (script: string): Promise<string> =>
    await runWithoutSandbox({ script, host, workspace, secret, environment: targets });
  afterEach(async () => {
    connections = 0;
    writeFileSync(join(host, 'store.db'), secret);
    for (const path of [...shared, join(host, marker), join(dirname(workspace), marker)])
      await rm(path, { force: true });
  });

  const all = [...readingAttempts, ...connectingAttempts, ...changingAttempts];
  it.each(byName(all.filter(({ refusedAnyway }) => refusedAnyway === undefined)))(
    'the attempt succeeds: %s',
    async (_, { script }) => {
      const output = await runWeakly(script);
      expect(/^GOT/m.test(output) || output.includes(secret) || isHarmed(), output.slice(-2_000)).toBe(true);
    },
  );

  it.each(systemCalls.filter(({ isAllowed }) => isAllowed))('the kernel answers otherwise: $name', async (one) => {
    expect(await runWeakly(systemCall(one.call))).not.toMatch(new RegExp(`refused .*${one.cause}`));
  });
});

describe('system calls', () => {
  it.each(systemCalls)('blocks $name', async ({ call, cause }) => {
    const { output } = await attempt(systemCall(call));
    expect(output).toMatch(new RegExp(`refused .*${cause}`));
  });
});

describe('exhausting the host', () => {
  it('contains a fork bomb', async () => {
    const bomb = `exec -a ${marker} bash -c 'b() { b | b & }; b; sleep 60'`;
    const { output, timedOut } = await attempt(bomb, { timeoutMs: 2_500, limits: { processes: 64 } });
    expect(timedOut || output.includes('Resource temporarily unavailable')).toBe(true);
  });

  it('limits the memory of many processes together', async () => {
    const eat = 'const a = []; for (;;) a.push(Buffer.alloc(5e6, 1))';
    const script = `for i in 1 2 3; do node -e "${eat}" ${marker} & done; for i in 1 2 3; do wait -n; echo "ended $?"; done`;
    const { output } = await attempt(script, { timeoutMs: 60_000, limits: { memoryBytes: 200 * 1024 ** 2 } });
    expect(output.match(/^ended [1-9]/gm)).toHaveLength(3);
  });

  it('limits the size of temporary files', async () => {
    const { output } = await attempt(
      'head -c 3G /dev/zero > /tmp/big && echo GOT; head -c 3G /dev/zero > /dev/shm/big && echo GOT; echo ended',
      { timeoutMs: 60_000 },
    );
    expect(output).toContain('ended');
  });

  it('limits the disk space of large files', async () => {
    const script = 'for i in $(seq 1000); do head -c 20M /dev/zero > f$i; sleep 0.05; done; echo GOT it full';
    const { output } = await attempt(script, { timeoutMs: 60_000, limits: { diskBytes: 100 * 1024 ** 2 } });
    expect(output).toContain('/workspace exceeds');
    expect(Number.parseInt(execFileSync('du', ['-sm', workspace], { encoding: 'utf8' }), 10)).toBeLessThan(400);
  });

  it('limits the number of files', async () => {
    const script = 'mkdir d; cd d; for i in $(seq 2000); do touch $i-{1..50}; done; echo GOT it full';
    const { output } = await attempt(script, { timeoutMs: 60_000, limits: { diskFiles: 2_000 } });
    expect(output).toContain('/workspace exceeds');
  });

  it('kills a command with endless output', async () => {
    const { output, timedOut } = await attempt('yes "$(head -c 1000 /dev/zero | tr "\\0" x)"');
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
    const { output } = await attempt(`node -e '${deep}'; ls; echo ended`, { timeoutMs: 60_000 });
    expect(output).toMatch(/^dddddddd\nended$/m);
  });
});
