import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { bubblewrapSandbox } from '../../../src/integrations/sandbox/bubblewrap.ts';
import { listHierarchies } from '../../../src/integrations/sandbox/control-group.ts';
import { disabledSandbox } from '../../../src/integrations/sandbox/disabled-sandbox.ts';
import type { CommandResult, SandboxRequest } from '../../../src/integrations/sandbox/sandbox.ts';
import { unconfinedSandbox } from '../../../src/integrations/sandbox/unconfined-sandbox.ts';
import { createTestSandbox } from '../../support/test-sandbox.ts';

const sandbox = createTestSandbox();
let folder: string;
let workspace: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
  workspace = await mkdtemp(join(folder, 'workspace-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

type Options = Partial<SandboxRequest> & { timeoutMs?: number; outputBytesMax?: number; signal?: AbortSignal };

async function shell(script: string, options: Options = {}): Promise<CommandResult> {
  const { timeoutMs = 60_000, outputBytesMax = 30_000, signal, ...request } = options;
  const ending = { timeoutMs, outputBytesMax, ...(signal && { signal }) };
  const workspaceOf = { path: workspace, writable: true };
  return await sandbox.run({ argv: ['/bin/sh', '-c', script], workspace: workspaceOf, ...request }, ending);
}

it('starts bwrap with an empty environment, and the command with only the given variables', async () => {
  const { output } = await shell('cat /proc/1/environ | wc -c; env', { environment: { COLOUR: 'green' } });
  expect(output.split('\n')[0]).toBe('0');
  expect(output).toContain('COLOUR=green');
  expect(output).not.toMatch(/VITEST|npm_/);
});

it('passes on no open file, not even one that the service inherited', async () => {
  const secret = join(folder, 'secret');
  writeFileSync(secret, 'the key of the safe');
  const child = join(import.meta.dirname, 'inherited-file.fixture.ts');
  const held = openSync(secret, 'r');
  const between = Array<'ignore'>(37).fill('ignore');
  const outer = spawn(process.execPath, [child, workspace], { stdio: ['ignore', 'pipe', 'inherit', ...between, held] });
  let output = '';
  outer.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await new Promise((resolve) => outer.once('close', resolve));
  closeSync(held);
  expect(output).toContain('outside: the key of the safe');
  expect(output).toContain('40 -> /dev/null');
  expect(output).not.toContain('secret');
});

it('allows writes only in the workspace', async () => {
  const places = ['/', '/usr', '/etc', '/dev', '/proc/sys/kernel', '/opt/node/bin', '/workspace', '/tmp', '/dev/shm'];
  const { output } = await shell(
    places.map((place) => `(echo x > ${place}/x) 2>/dev/null && echo ${place}`).join('\n'),
  );
  expect(output.trim().split('\n')).toEqual(['/workspace', '/tmp', '/dev/shm']);
  expect(readFileSync(join(workspace, 'x'), 'utf8')).toBe('x\n');
  const readOnly = await shell('echo x > /workspace/y', { workspace: { path: workspace, writable: false } });
  expect(readOnly.exitCode).not.toBe(0);
  expect(readOnly.output).toContain('Read-only file system');
});

it('limits each command by default: 512 processes, files of 1 GiB, 900 s of CPU, and 512 MiB in /tmp', async () => {
  const { output } = await shell('ulimit -u 2>/dev/null || ulimit -p; ulimit -f; ulimit -t; df -B1 /tmp | tail -1');
  const [processes, fileBlocks, cpuSeconds, tmp = ''] = output.trim().split('\n');
  expect([processes, Number(fileBlocks) * 512, cpuSeconds]).toEqual(['512', 1024 ** 3, '900']);
  expect(tmp.split(/\s+/)[1]).toBe(String(512 * 1024 ** 2));
});

it('limits the memory of each command to 2 GiB by default', async () => {
  const argv = ['/bin/sh', '-c', 'ulimit -d; exec sleep 600'];
  const { child, kill } = sandbox.spawn({ argv, workspace: { path: workspace, writable: true } });
  onTestFinished(kill);
  const [perProcess] = (await once(child.stdout as Readable, 'data')) as [Buffer];
  const group = /delivery-sandbox-\S+/.exec(readFileSync(`/proc/${child.pid}/cgroup`, 'utf8'))?.[0];
  // Each version of control groups has its own name for the limit.
  const [file] = listHierarchies()
    .flatMap(({ root }) => ['memory.max', 'memory.limit_in_bytes'].map((name) => join(root, group ?? '', name)))
    .filter((path) => existsSync(path));
  const bytes = group && file ? Number(readFileSync(file, 'utf8')) : Number(perProcess) * 1024;
  expect(bytes).toBe(2 * 1024 ** 3);
});

it('limits the workspace to 8 GiB and 1,000,000 files by default, which it says when it is full', async () => {
  const many = await shell('i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); : > f$i; done', {
    limits: { diskFiles: 200 },
  });
  expect(many.output).toContain(`/workspace exceeds ${8 * 1024 ** 3} bytes or 200 files`);
  const large = await shell('for i in $(seq 200); do head -c 5M /dev/zero > f$i; sleep 0.05; done', {
    limits: { diskBytes: 20 * 1024 ** 2 },
  });
  expect(large.output).toContain(`/workspace exceeds ${20 * 1024 ** 2} bytes or 1000000 files`);
});

it('limits what many commands write together, and lets a command delete files of a full workspace', async () => {
  const limits = { diskBytes: 20 * 1024 ** 2 };
  const writeSome = async (name: string) => await shell(`head -c 4M /dev/zero > ${name}`, { limits });
  let last = await writeSome('part-0');
  // Other programs may free space of the disk at the same time, which hides a few of the writes.
  for (let number = 1; last.exitCode === 0 && number < 100; number += 1) last = await writeSome(`part-${number}`);
  expect(last.output).toContain(`the command could not write to files: /workspace exceeds ${limits.diskBytes} bytes`);
  await shell('rm part-*', { limits });
  expect(await writeSome('part-0')).toMatchObject({ exitCode: 0, output: '' });
});

it('hides homes, the service code, other workspaces and processes of the host', async () => {
  writeFileSync(join(folder, 'neighbour'), 'secret');
  symlinkSync(join(folder, 'neighbour'), join(workspace, 'link'));
  const seen = [
    homedir(),
    process.cwd(),
    folder,
    join(folder, 'neighbour'),
    '/workspace/link',
    '/workspace/../neighbour',
  ];
  const { output } = await shell(
    `cd /workspace; ls -d ${seen.join(' ')} ../neighbour; cat link; ls /proc | grep -c '^[0-9]'`,
  );
  expect(output).not.toContain('secret');
  expect(output.match(/No such file/g)?.length).toBeGreaterThanOrEqual(7);
  expect(Number(output.trim().split('\n').at(-1))).toBeLessThan(10);
});

it('reaches no server of the host, and has its own loopback', async () => {
  const listener = createServer((socket) => socket.end('from the host'));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const ask = `require('net').connect(${port}, '127.0.0.1').on('data', (d) => console.log('' + d)).on('error', (e) => console.log(e.code))`;
  const own = `require('net').createServer((s) => s.end('own')).listen(${port}, '127.0.0.1', () => { ${ask}.on('close', () => process.exit()) })`;
  try {
    expect((await shell(`node -e "${ask}"`)).output.trim()).toBe('ECONNREFUSED');
    expect((await shell(`node -e "${own}"`)).output.trim()).toBe('own');
    // The namespace is the defence: without one, the same command reaches the server.
    const workspaceOf = { path: workspace, writable: true };
    const limits = { timeoutMs: 60_000, outputBytesMax: 1000 };
    const unconfined = await unconfinedSandbox().run({ argv: ['node', '-e', ask], workspace: workspaceOf }, limits);
    expect(unconfined.output.trim()).toBe('from the host');
  } finally {
    listener.close();
  }
});

it('kills all processes of the command, including daemons', async () => {
  const name = `daemon-${randomUUID()}`;
  const daemon = `(setsid bash -c "exec -a ${name} sleep 600" >/dev/null 2>&1 &); until grep -q ${name} /proc/[0-9]*/cmdline; do sleep 0.01; done; echo done`;
  expect(await shell(daemon)).toMatchObject({ exitCode: 0, output: 'done\n' });
  const isRunning = (): boolean =>
    readdirSync('/proc').some((pid) => {
      try {
        return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(name);
      } catch {
        return false;
      }
    });
  await expect.poll(isRunning).toBe(false);
});

it('kills a command and its children at the timeout, and reports it', async () => {
  // On a busy machine, a shell takes seconds to start.
  for (const timeoutMs of [1_000, 10_000, 60_000]) {
    const result = await shell('echo started; sleep 900 & sleep 900', { timeoutMs });
    expect(result).toMatchObject({ exitCode: 137, timedOut: true });
    if (result.output === 'started\n') return;
  }
  expect.unreachable('The output before the timeout is lost.');
});

it('kills the command on abort, and throws the reason', async () => {
  const asked = new AbortController();
  const running = shell('sleep 60', { signal: asked.signal });
  asked.abort(new Error('cancelled by a person'));
  await expect(running).rejects.toThrow('cancelled by a person');
});

it('contains a fork bomb', async () => {
  const { output } = await shell('for i in $(seq 200); do sleep 5 & done; echo all started', {
    limits: { processes: 30 },
  });
  expect(output).toMatch(/fork/i);
  expect(output).not.toContain('all started');
});

it('limits memory of a process and of files in memory', async () => {
  const limits = { memoryBytes: 256 * 1024 ** 2 };
  const eat = await shell('node -e "const a = []; for (;;) a.push(Buffer.alloc(1e7, 1))"', { limits });
  expect(eat.exitCode).not.toBe(0);
  expect(eat.timedOut).toBe(false);
  const shared = await shell('head -c 1G /dev/zero > /dev/shm/big', { limits });
  expect(shared.exitCode).not.toBe(0);
});

it('limits the size of a file and the CPU time', async () => {
  const file = await shell('head -c 2M /dev/zero > big', { limits: { fileBytes: 1024 ** 2 } });
  expect(file.exitCode).not.toBe(0);
  const loop = await shell('while :; do :; done', { limits: { cpuSeconds: 1 } });
  expect(loop).toMatchObject({ exitCode: 137, timedOut: false });
});

it('keeps the start and the end of long output, and kills a command with endless output', async () => {
  const { output } = await shell('seq 100000', { outputBytesMax: 1000 });
  expect(output).toMatch(/^1\n2\n/);
  expect(output).toMatch(/\n\[… \d+ bytes omitted …\]\n/);
  expect(output).toMatch(/100000\n$/);
  expect(Buffer.byteLength(output)).toBeLessThan(1100);
  expect(await shell('yes', { outputBytesMax: 1000 })).toMatchObject({ exitCode: 137, timedOut: false });
});

it('allows no namespaces, mounts or capabilities inside', async () => {
  const { output } = await shell('unshare -U true; mount -t tmpfs none /tmp; grep CapEff /proc/self/status; id -u');
  expect(output).toContain('unshare failed');
  expect(output).toContain('mount:');
  expect(output).toContain('CapEff:\t0000000000000000');
  expect(output.trim().endsWith('1000')).toBe(true);
});

it('returns the exit status, or 128 + n after signal n', async () => {
  expect((await shell('kill -TERM $$')).exitCode).toBe(143);
  expect((await shell('exit 3')).exitCode).toBe(3);
});

it('reports how to install a missing bwrap, and throws without a sandbox', async () => {
  const none = bubblewrapSandbox({ executable: '/nowhere/bwrap' });
  const request = { argv: ['true'], workspace: { path: workspace, writable: true } };
  const options = { timeoutMs: 5000, outputBytesMax: 1000 };
  await expect(none.run(request, options)).rejects.toMatchObject({ code: 'unavailable' });
  const refusing = disabledSandbox('No sandbox on this host: install bubblewrap.');
  await expect(refusing.run(request, options)).rejects.toThrow('install bubblewrap');
  expect(() => refusing.spawn(request)).toThrow('install bubblewrap');
});
