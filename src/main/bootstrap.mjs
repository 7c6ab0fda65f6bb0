// This runs on the machine's own Node before anything is installed, so it uses only builtins and no types. It installs
// the packages, including Node 24, and runs the program with that Node. Stdout is reserved for the program.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withParentDeathSignal } from './tools/parent-death-signal.mjs';
import { withFolderLock } from './tools/folder-lock.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.bootstrap');
const nodeBin = join(modules, 'node', 'bin');
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

try {
  await bootstrap();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

async function bootstrap() {
  if (process.platform === 'win32') throw new Error('Windows itself is not supported. Run this inside WSL.');
  assertGit();
  if (!isInstalled()) {
    assertWritable();
    const onWait = () => process.stderr.write('Another command is installing the packages; waiting for it…\n');
    const stoppedBy = await withFolderLock(join(root, '.bootstrap.lock'), install, onWait);
    if (stoppedBy) return exitBySignal(stoppedBy);
  }
  if (!existsSync(join(nodeBin, 'node'))) {
    const fix = 'Run "npm ci --ignore-scripts=false" and try again.';
    throw new Error(`npm installed the packages without their install scripts, so Node 24 is missing. ${fix}`);
  }
  runWithPackagedNode();
}

/** The code host merges with `git merge-tree --write-tree`. An older git would leave every pull request unmerged. */
function assertGit() {
  if (!onPath('git')) throw new Error('git is not on PATH. Install it (for example "apt install git") and try again.');
  const { stdout } = spawnSync('git', ['--version'], { encoding: 'utf8' });
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(stdout ?? '')?.map(Number) ?? [];
  if (major < 2 || (major === 2 && minor < 38))
    throw new Error(
      `git ${major}.${minor} is too old, because the code host merges with git 2.38 or newer. Install a newer one and try again.`,
    );
}

function assertWritable() {
  try {
    accessSync(root, constants.W_OK);
  } catch {
    throw new Error(
      `The packages are not installed, and ${root} cannot be written. Run "npm ci" there as the owner of the folder, then try again.`,
    );
  }
}

/** The stamp avoids the comparison. Without a stamp, the result of the user's own `npm ci` or `npm install` counts. */
function isInstalled() {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const stamp = `${process.platform}-${process.arch} ${createHash('sha256').update(lock).digest('hex')}\n`;
  if (readIfExists(stampFile) === stamp) return true;
  const installed = JSON.parse(readIfExists(join(modules, '.package-lock.json')) ?? '{}').packages;
  if (installed === undefined || !matchesLockFile(installed, JSON.parse(lock).packages)) return false;
  try {
    writeFileSync(stampFile, stamp);
  } catch {
    // Another user has installed the packages; the next start compares them again.
  }
  return true;
}

function matchesLockFile(installed, locked) {
  return Object.entries(locked).every(([path, { version, optional, devOptional }]) => {
    if (path === '') return true;
    const found = installed[path];
    return found === undefined ? Boolean(optional || devOptional) : found.version === version;
  });
}

/** Returns the signal that stopped it, or null. */
async function install() {
  if (isInstalled()) return null;
  // An interrupted installation must not look complete.
  rmSync(stampFile, { force: true });
  rmSync(join(modules, '.package-lock.json'), { force: true });
  const progress = showElapsed('Installing packages (once)…');
  const { status, signal, output } = await runNpmCi();
  progress.end(status === 0 ? 'done' : 'failed');
  if (signal) return signal;
  if (status !== 0) {
    const tail = output.trimEnd().split('\n').slice(-15).join('\n');
    throw new Error(`${tail}\n"npm ci" failed (status ${status}). Fix the error above, then retry.`);
  }
  if (isInstalled()) return null;
  throw new Error('"npm ci" omitted packages. Run "npm config delete omit", then retry.');
}

function runNpmCi() {
  const args = ['ci', '--include=dev', '--loglevel=error'];
  // The npm that runs this script is preferred, because a version manager's npm may not be on PATH.
  const npmCli = process.env.npm_execpath ?? '';
  const npm = basename(npmCli) === 'npm-cli.js' ? [process.execPath, npmCli, ...args] : ['npm', ...args];
  if (npm[0] === 'npm' && !onPath('npm')) {
    throw new Error('npm is not on PATH. Install Node 20 or newer with its npm (https://nodejs.org) and try again.');
  }

  const program = withParentDeathSignal('SIGTERM', npm[0], npm.slice(1));
  const child = spawn(program.command, program.args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));

  let stoppedBy = null;
  const stop = (signal) => {
    stoppedBy = signal;
    child.kill('SIGTERM');
  };
  for (const signal of signals) process.on(signal, stop);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => {
      for (const name of signals) process.off(name, stop);
      resolve({ status, signal: stoppedBy ?? signal, output });
    });
  });
}

function runWithPackagedNode() {
  // SIGTERM lets a platform stop cleanly after its wrapper was killed.
  const program = withParentDeathSignal('SIGTERM', join(nodeBin, 'node'), process.argv.slice(2));
  // Every process of the project would otherwise compile the same modules again, which is most of its start-up time.
  const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(modules, '.cache', 'node');
  // Host names are looked up on half of these threads. With the default of 4, two slow names delay all connections.
  const UV_THREADPOOL_SIZE = process.env.UV_THREADPOOL_SIZE ?? '16';
  const PATH = nodeBin + delimiter + process.env.PATH;
  const env = { ...process.env, NODE_COMPILE_CACHE, UV_THREADPOOL_SIZE, PATH };
  const child = spawn(program.command, program.args, { stdio: 'inherit', env });

  // A terminal sends Ctrl-C and hang-ups to the whole process group, so the child already received them.
  const onTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  let sentAt = 0;
  const forward = (signal) => {
    if (onTerminal && signal !== 'SIGTERM') return;
    // npm forwards a group's signal a second time, and the program treats a second signal as a request to exit at once.
    if (Date.now() - sentAt > 1000) child.kill(signal);
    sentAt = Date.now();
  };
  for (const signal of signals) process.on(signal, forward);
  child.on('error', (error) => {
    process.stderr.write(`The packaged Node does not start: ${error.message}. Delete node_modules and try again.\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => (signal === null ? process.exit(code) : exitBySignal(signal)));
}

/** Exits by the same signal as the child, so that the caller sees the child's own exit status. */
function exitBySignal(signal) {
  for (const name of signals) process.removeAllListeners(name);
  process.kill(process.pid, signal);
}

/** Shows a live line with the seconds on a terminal that can erase one, and otherwise one line at the start and one at the end. */
function showElapsed(message) {
  const startedAt = Date.now();
  const seconds = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  if (!process.stderr.isTTY || process.env.TERM === 'dumb') {
    process.stderr.write(`${message}\n`);
    return { end: (result) => process.stderr.write(`${message} ${result} after ${seconds()}\n`) };
  }
  const show = (rest) => process.stderr.write(`\r\x1b[K${message} ${rest}`);
  show(seconds());
  const timer = setInterval(() => show(seconds()), 1000);
  return {
    end: (result) => {
      clearInterval(timer);
      show(`${result} after ${seconds()}\n`);
    },
  };
}

function onPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function readIfExists(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
