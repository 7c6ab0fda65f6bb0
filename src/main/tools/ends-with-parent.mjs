// Plain JavaScript, because bootstrap.mjs needs it before there is a Node that runs TypeScript.
import { spawnSync } from 'node:child_process';

/**
 * The command line that runs the same program but has the kernel send it the signal when we die, however we die.
 * Where there is no util-linux (macOS) it is the command as it was.
 */
export function endsWithParent(signal, command, args) {
  const bind = ['--pdeathsig', signal.replace('SIG', '')];
  // Asked, not assumed: BusyBox has a setpriv too, without this option.
  const works =
    process.platform === 'linux' && spawnSync('setpriv', [...bind, 'true'], { stdio: 'ignore' }).status === 0;
  return works ? { command: 'setpriv', args: [...bind, '--', command, ...args] } : { command, args };
}
