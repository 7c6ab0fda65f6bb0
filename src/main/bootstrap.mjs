// Runs on whatever Node the machine has, before anything is installed: only builtins, no types. It installs the
// packages, among them the Node that the platform needs, and hands over to that one. Stdout belongs to the program.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endsWithParent } from './tools/ends-with-parent.mjs';
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
  if (!onPath('git')) throw new Error('git is not on PATH. Install it (for example "apt install git") and try again.');
  if (!isInstalled()) {
    const onWait = () => process.stderr.write('Another command is installing the packages; waiting for it…\n');
    const stoppedBy = await withFolderLock(join(root, '.bootstrap.lock'), install, onWait);
    if (stoppedBy) return dieBy(stoppedBy);
  }
  if (!existsSync(join(nodeBin, 'node'))) {
    const fix = 'Run "npm ci --ignore-scripts=false" and try again.';
    throw new Error(`npm installed the packages without their install scripts, so Node 24 is missing. ${fix}`);
  }
  handOver();
}

/** The stamp saves comparing; without one, what a person's own `npm ci` or `npm install` left counts as well. */
function isInstalled() {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const stamp = `${process.platform}-${process.arch} ${createHash('sha256').update(lock).digest('hex')}\n`;
  if (readIfThere(stampFile) === stamp) return true;
  const installed = JSON.parse(readIfThere(join(modules, '.package-lock.json')) ?? '{}').packages;
  if (installed === undefined || !holds(installed, JSON.parse(lock).packages)) return false;
  writeFileSync(stampFile, stamp);
  return true;
}

function holds(installed, locked) {
  return Object.entries(locked).every(([path, { version, optional, devOptional }]) => {
    if (path === '') return true;
    const found = installed[path];
    return found === undefined ? Boolean(optional || devOptional) : found.version === version;
  });
}

/** Answers the signal that stopped it, if one did. */
async function install() {
  if (isInstalled()) return null;
  // An interrupted installation must not pass for a finished one.
  rmSync(stampFile, { force: true });
  rmSync(join(modules, '.package-lock.json'), { force: true });
  const progress = sayElapsed('Installing packages (once)…');
  const { status, signal, output } = await runNpmCi();
  progress.end(status === 0 ? 'done' : 'failed');
  if (signal) return signal;
  if (status !== 0) {
    const tail = output.trimEnd().split('\n').slice(-15).join('\n');
    throw new Error(`${tail}\n"npm ci" failed (status ${status}). Put right what it says above and try again.`);
  }
  if (isInstalled()) return null;
  throw new Error('"npm ci" left packages out. Run "npm config get omit", make it empty and try again.');
}

function runNpmCi() {
  const args = ['ci', '--include=dev', '--loglevel=error'];
  // The npm that runs our script, where it is one; a shell's function or a version manager's shim may not be on PATH.
  const own = process.env.npm_execpath ?? '';
  const npm = basename(own) === 'npm-cli.js' ? [process.execPath, own, ...args] : ['npm', ...args];
  if (npm[0] === 'npm' && !onPath('npm')) {
    throw new Error('npm is not on PATH. Install Node 20 or newer with its npm (https://nodejs.org) and try again.');
  }

  const guarded = endsWithParent('SIGTERM', npm[0], npm.slice(1));
  const child = spawn(guarded.command, guarded.args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
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

function handOver() {
  // SIGTERM and not SIGKILL: a platform whose wrapper was killed still stops in good order.
  const guarded = endsWithParent('SIGTERM', join(nodeBin, 'node'), process.argv.slice(2));
  const env = { ...process.env, PATH: nodeBin + delimiter + process.env.PATH };
  const child = spawn(guarded.command, guarded.args, { stdio: 'inherit', env });

  // A terminal sends Ctrl-C and hang-ups to the whole process group: the child has them already.
  const onTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  let sentAt = 0;
  const forward = (signal) => {
    if (onTerminal && signal !== 'SIGTERM') return;
    // What was sent to a whole group comes once more from npm, which forwards as well; a second one means "at once".
    if (Date.now() - sentAt > 1000) child.kill(signal);
    sentAt = Date.now();
  };
  for (const signal of signals) process.on(signal, forward);
  child.on('error', (error) => {
    process.stderr.write(
      `The packages' own Node does not start: ${error.message}. Delete node_modules and try again.\n`,
    );
    process.exit(1);
  });
  child.on('exit', (code, signal) => (signal === null ? process.exit(code) : dieBy(signal)));
}

/** So that whoever started us sees the same end as if we had not been in between. */
function dieBy(signal) {
  for (const name of signals) process.removeAllListeners(name);
  process.kill(process.pid, signal);
}

/** A live line with the seconds on a terminal; one line at the start and one at the end elsewhere. */
function sayElapsed(message) {
  const startedAt = Date.now();
  const seconds = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  if (!process.stderr.isTTY) {
    process.stderr.write(`${message}\n`);
    return { end: (how) => process.stderr.write(`${message} ${how} after ${seconds()}\n`) };
  }
  const show = (rest) => process.stderr.write(`\r\x1b[K${message} ${rest}`);
  show(seconds());
  const timer = setInterval(() => show(seconds()), 1000);
  return {
    end: (how) => {
      clearInterval(timer);
      show(`${how} after ${seconds()}\n`);
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

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
