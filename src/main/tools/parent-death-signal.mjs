// This is plain JavaScript because bootstrap.mjs runs it before a Node that supports TypeScript is installed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

/**
 * Returns a command line that runs the program and has the kernel signal it when this process dies for any reason.
 * Without util-linux (macOS) it returns the command unchanged.
 */
export function withParentDeathSignal(signal, command, args) {
  const options = ['--pdeathsig', signal.replace('SIG', '')];
  // The path is absolute because the program may get another PATH.
  const setpriv = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => resolve(folder, 'setpriv'))
    .find((file) => existsSync(file));
  // The option is probed because the setpriv of BusyBox does not have it.
  const isSupported =
    process.platform === 'linux' &&
    setpriv !== undefined &&
    spawnSync(setpriv, [...options, 'true'], { stdio: 'ignore' }).status === 0;
  return isSupported ? { command: setpriv, args: [...options, '--', command, ...args] } : { command, args };
}
