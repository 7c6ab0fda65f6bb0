import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pathWith, scratchFolder } from '../support/programs.ts';

const source = fileURLToPath(new URL('../../src/main', import.meta.url));
const run = promisify(execFile);

/** A clone whose only package, as far as npm is concerned, is one that holds a Node where the real one does. */
async function clone() {
  const root = await scratchFolder();
  await mkdir(join(root, 'src/main/tools'), { recursive: true });
  for (const file of ['bootstrap.mjs', 'tools/folder-lock.mjs', 'tools/ends-with-parent.mjs']) {
    await cp(join(source, file), join(root, 'src/main', file));
  }
  await mkdir(join(root, 'fake-node/bin'), { recursive: true });
  await writeFile(join(root, 'fake-node/package.json'), '{"name":"node","version":"24.0.0"}');
  await writeFile(join(root, 'fake-node/bin/node'), `#!/bin/sh\nexec "${process.execPath}" "$@"\n`);
  await chmod(join(root, 'fake-node/bin/node'), 0o755);
  await writeFile(join(root, 'package.json'), '{"name":"app","dependencies":{"node":"file:fake-node"}}');
  await run('npm', ['install', '--package-lock-only'], { cwd: root });
  return { root, bootstrap: join(root, 'src/main/bootstrap.mjs') };
}

/** Runs to its end and answers what it said; `npm_…` variables of our own npm would name another one. */
async function start(bootstrap: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  const child = spawn(process.execPath, [bootstrap, ...args], { env: { ...clean, ...env } });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => (said.stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (said.stderr += text.toString()));
  const [status, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { ...said, status, signal };
}

describe('bootstrap', () => {
  it('installs the packages once, hands over to their Node, and leaves stdout to the program', async () => {
    const { root, bootstrap } = await clone();
    const first = await start(bootstrap, ['-p', 'process.env.PATH.split(":")[0]']);
    expect(first).toMatchObject({ status: 0, stdout: `${join(root, 'node_modules/node/bin')}\n` });
    expect(first.stderr).toMatch(/^Installing packages \(once\)…\nInstalling packages \(once\)… done after \d+ s\n$/);
    expect(await start(bootstrap, ['-p', '1'])).toMatchObject({ status: 0, stdout: '1\n', stderr: '' });
  });

  it('is content with what a person’s own npm ci left', async () => {
    const { root, bootstrap } = await clone();
    await run('npm', ['ci'], { cwd: root });
    expect(await start(bootstrap, ['-p', '1'])).toMatchObject({ stdout: '1\n', stderr: '' });
  });

  it('installs again when the lock names another version', async () => {
    const { root, bootstrap } = await clone();
    await start(bootstrap, ['-p', '1']);
    for (const file of ['package-lock.json', 'fake-node/package.json']) {
      const text = await readFile(join(root, file), 'utf8');
      await writeFile(join(root, file), text.replace('24.0.0', '24.0.1'));
    }
    expect((await start(bootstrap, ['-p', '1'])).stderr).toContain('Installing packages');
  });

  it('runs one npm ci for two commands that start at once', async () => {
    const { bootstrap } = await clone();
    const both = await Promise.all([start(bootstrap, ['-p', '1']), start(bootstrap, ['-p', '2'])]);
    expect(both.map(({ stdout }) => stdout)).toEqual(['1\n', '2\n']);
    const said = both.map(({ stderr }) => stderr).toSorted();
    expect(said[0]).toBe('Another command is installing the packages; waiting for it…\n');
    expect(said[1]).toContain('done after');
  });

  it('ends with the program’s own status, or by its signal', async () => {
    const { bootstrap } = await clone();
    expect(await start(bootstrap, ['-e', 'process.exit(7)'])).toMatchObject({ status: 7, signal: null });
    const killed = await start(bootstrap, ['-e', 'process.kill(process.pid, "SIGKILL")']);
    expect(killed).toMatchObject({ status: null, signal: 'SIGKILL' });
  });

  it('hands on a signal once, however often it comes within a second, and waits for the program', async () => {
    const { bootstrap } = await clone();
    await start(bootstrap, ['-p', '1']);
    const program = `setInterval(() => {}, 1000);
      process.on('SIGTERM', () => { console.log('asked'); setTimeout(() => process.exit(3), 300); });
      console.log('ready');`;
    const child = spawn(process.execPath, [bootstrap, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stdout.on('data', (text: Buffer) => (said += text.toString()));
    await expect.poll(() => said).toBe('ready\n');
    child.kill('SIGTERM');
    await expect.poll(() => said).toContain('asked');
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([3, null]);
    expect(said).toBe('ready\nasked\n');
  });

  it('says in the end of npm’s words what kept it from installing, and tries again the next time', async () => {
    const { root, bootstrap } = await clone();
    const lock = await readFile(join(root, 'package-lock.json'), 'utf8');
    await writeFile(
      join(root, 'package.json'),
      '{"name":"app","dependencies":{"node":"file:fake-node","absent":"1.0.0"}}',
    );
    const failed = await start(bootstrap, ['-p', '1']);
    expect(failed).toMatchObject({ status: 1, stdout: '' });
    expect(failed.stderr).toMatch(/absent@1\.0\.0[\s\S]*"npm ci" failed \(status 1\)/);
    await writeFile(join(root, 'package.json'), '{"name":"app","dependencies":{"node":"file:fake-node"}}');
    await writeFile(join(root, 'package-lock.json'), lock);
    expect(await start(bootstrap, ['-p', '1'])).toMatchObject({ status: 0, stdout: '1\n' });
  });

  it('names the fix where npm, git or the packages’ Node is missing', async () => {
    const { root, bootstrap } = await clone();
    const without = await start(bootstrap, ['-p', '1'], { PATH: await pathWith({ git: 'exit 0' }) });
    expect(without).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('npm is not on PATH. Install Node 20'),
    });
    const noGit = await start(bootstrap, ['-p', '1'], { PATH: await pathWith({}) });
    expect(noGit).toMatchObject({ status: 1, stderr: expect.stringMatching(/^git is not on PATH\. Install it/) });
    await rm(join(root, 'fake-node/bin/node'));
    const noNode = await start(bootstrap, ['-p', '1']);
    expect(noNode).toMatchObject({ status: 1, stderr: expect.stringContaining('npm ci --ignore-scripts=false') });
  });
});
