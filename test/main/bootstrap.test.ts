import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPathWith } from '../support/create-path-with.ts';
import { createScratchFolder } from '../support/scratch-folder.ts';

const source = fileURLToPath(new URL('../../src/main', import.meta.url));
const run = promisify(execFile);
const newGit = 'echo git version 2.38.0';

/** Creates a clone whose only package contains a Node at the same path as the real package. */
async function createClone() {
  const root = await createScratchFolder();
  await mkdir(join(root, 'src/main/tools'), { recursive: true });
  for (const file of ['bootstrap.mjs', 'tools/folder-lock.mjs', 'tools/parent-death-signal.mjs']) {
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

/** Runs the bootstrap until it exits. The `npm_…` variables of the outer npm would select another npm. */
async function runBootstrap(bootstrap: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  const cleanEnvironment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
  const child = spawn(process.execPath, [bootstrap, ...args], { env: { ...cleanEnvironment, ...env } });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (text: Buffer) => (output.stdout += text.toString()));
  child.stderr.on('data', (text: Buffer) => (output.stderr += text.toString()));
  const [status, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { ...output, status, signal };
}

describe('bootstrap', () => {
  it('installs the packages once, runs the program with their Node, and reserves stdout for it', async () => {
    const { root, bootstrap } = await createClone();
    const first = await runBootstrap(bootstrap, ['-p', 'process.env.PATH.split(":")[0]']);
    expect(first).toMatchObject({ status: 0, stdout: `${join(root, 'node_modules/node/bin')}\n` });
    expect(first.stderr).toMatch(/^Installing packages \(once\)…\nInstalling packages \(once\)… done after \d+ s\n$/);
    expect(await runBootstrap(bootstrap, ['-p', '1'])).toMatchObject({ status: 0, stdout: '1\n', stderr: '' });
  });

  it('lets many host names be looked up at the same time, unless the operator chose a number of threads', async () => {
    const { bootstrap } = await createClone();
    const show = ['-p', 'process.env.UV_THREADPOOL_SIZE'];
    expect(await runBootstrap(bootstrap, show, { UV_THREADPOOL_SIZE: undefined })).toMatchObject({ stdout: '16\n' });
    expect(await runBootstrap(bootstrap, show, { UV_THREADPOOL_SIZE: '4' })).toMatchObject({ stdout: '4\n' });
  });

  it('accepts the packages of the user’s own npm ci', async () => {
    const { root, bootstrap } = await createClone();
    await run('npm', ['ci'], { cwd: root });
    expect(await runBootstrap(bootstrap, ['-p', '1'])).toMatchObject({ stdout: '1\n', stderr: '' });
  });

  it('accepts installed packages when it cannot write into their folder', async () => {
    const { root, bootstrap } = await createClone();
    await run('npm', ['ci'], { cwd: root });
    await mkdir(join(root, 'node_modules/.bootstrap'));
    expect(await runBootstrap(bootstrap, ['-p', '1'])).toMatchObject({ status: 0, stdout: '1\n', stderr: '' });
  });

  it('installs again when the lock file names another version', async () => {
    const { root, bootstrap } = await createClone();
    await runBootstrap(bootstrap, ['-p', '1']);
    for (const file of ['package-lock.json', 'fake-node/package.json']) {
      const text = await readFile(join(root, file), 'utf8');
      await writeFile(join(root, file), text.replace('24.0.0', '24.0.1'));
    }
    expect((await runBootstrap(bootstrap, ['-p', '1'])).stderr).toContain('Installing packages');
  });

  it('runs npm ci once for two concurrent commands', async () => {
    const { bootstrap } = await createClone();
    const both = await Promise.all([runBootstrap(bootstrap, ['-p', '1']), runBootstrap(bootstrap, ['-p', '2'])]);
    expect(both.map(({ stdout }) => stdout)).toEqual(['1\n', '2\n']);
    const installs = both.map(({ stderr }) => stderr.includes('done after'));
    expect(installs.toSorted()).toEqual([false, true]);
    // The other command waits, unless it comes so late that all is installed.
    const other = both[installs.indexOf(false)]?.stderr;
    expect(['', 'Another command is installing the packages; waiting for it…\n']).toContain(other);
  });

  it('exits with the status or the signal of the program', async () => {
    const { bootstrap } = await createClone();
    expect(await runBootstrap(bootstrap, ['-e', 'process.exit(7)'])).toMatchObject({ status: 7, signal: null });
    const killed = await runBootstrap(bootstrap, ['-e', 'process.kill(process.pid, "SIGKILL")']);
    expect(killed).toMatchObject({ status: null, signal: 'SIGKILL' });
  });

  it('forwards a repeated signal once within a second, and waits for the program', async () => {
    const { bootstrap } = await createClone();
    await runBootstrap(bootstrap, ['-p', '1']);
    const program = `setInterval(() => {}, 1000);
      process.on('SIGTERM', () => { console.log('stopping'); setTimeout(() => process.exit(3), 300); });
      console.log('ready');`;
    const child = spawn(process.execPath, [bootstrap, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stdout.on('data', (text: Buffer) => (output += text.toString()));
    await expect.poll(() => output).toBe('ready\n');
    child.kill('SIGTERM');
    await expect.poll(() => output).toContain('stopping');
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([3, null]);
    expect(output).toBe('ready\nstopping\n');
  });

  it('shows the end of npm’s output when the installation fails, and retries the next time', async () => {
    const { root, bootstrap } = await createClone();
    const lock = await readFile(join(root, 'package-lock.json'), 'utf8');
    await writeFile(
      join(root, 'package.json'),
      '{"name":"app","dependencies":{"node":"file:fake-node","absent":"1.0.0"}}',
    );
    const failed = await runBootstrap(bootstrap, ['-p', '1']);
    expect(failed).toMatchObject({ status: 1, stdout: '' });
    expect(failed.stderr).toMatch(/absent@1\.0\.0[\s\S]*"npm ci" failed \(status 1\)/);
    await writeFile(join(root, 'package.json'), '{"name":"app","dependencies":{"node":"file:fake-node"}}');
    await writeFile(join(root, 'package-lock.json'), lock);
    expect(await runBootstrap(bootstrap, ['-p', '1'])).toMatchObject({ status: 0, stdout: '1\n' });
  });

  it.each([
    ['git version 2.34.1', /^git 2\.34 is too old, because the code host merges with git 2\.38 or newer\. Install/],
    ['git version 1.8.3.1', /^git 1\.8 is too old/],
    ['git version 2.38.0', ''],
    ['git version 3.0.0 (Apple Git-200)', ''],
    ['a git of another kind', ''],
  ])('starts with %s only if it can merge', async (answer, stderr) => {
    const { root, bootstrap } = await createClone();
    await run('npm', ['ci'], { cwd: root });
    const PATH = await createPathWith({ git: `echo '${answer}'` });
    const started = await runBootstrap(bootstrap, ['-p', '1'], { PATH });
    expect(started).toMatchObject({ status: stderr === '' ? 0 : 1 });
    expect(started.stderr).toMatch(stderr);
  });

  it('names the fix when npm, git or the packaged Node is missing', async () => {
    const { root, bootstrap } = await createClone();
    const withoutNpm = await runBootstrap(bootstrap, ['-p', '1'], { PATH: await createPathWith({ git: newGit }) });
    expect(withoutNpm).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('npm is not on PATH. Install Node 20'),
    });
    const withoutGit = await runBootstrap(bootstrap, ['-p', '1'], { PATH: await createPathWith({}) });
    expect(withoutGit).toMatchObject({ status: 1, stderr: expect.stringMatching(/^git is not on PATH\. Install it/) });
    await rm(join(root, 'fake-node/bin/node'));
    const withoutNode = await runBootstrap(bootstrap, ['-p', '1']);
    expect(withoutNode).toMatchObject({ status: 1, stderr: expect.stringContaining('npm ci --ignore-scripts=false') });
  });
});
