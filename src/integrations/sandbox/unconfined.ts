import { spawn, type ChildProcess } from 'node:child_process';
import { dirname } from 'node:path';
import { execPath, kill } from 'node:process';
import { runToEnd } from './run-to-end.ts';
import type { Sandbox, SandboxRequest } from './sandbox.ts';

/**
 * DANGEROUS: no sandbox. What an agent runs can read and write all that the service's own user can, keys included.
 * Only for a host that holds nothing else, and only when its operator has said so in as many words.
 */
export function unconfinedSandbox(): Sandbox {
  const start = ({ argv, workspace, environment }: SandboxRequest): ChildProcess => {
    const [program = '', ...rest] = argv;
    const path = `${dirname(execPath)}:/usr/local/bin:/usr/bin:/bin`;
    return spawn(program, rest, {
      cwd: workspace.path,
      env: { PATH: path, HOME: workspace.path, LANG: 'C.UTF-8', CI: 'true', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A process group of its own, so that all of it can be ended.
      detached: true,
    });
  };
  return {
    spawn: start,
    async run(request, options) {
      const child = start(request);
      return await runToEnd(child, () => endGroup(child), options).finally(() => endGroup(child));
    },
  };
}

function endGroup(child: ChildProcess): void {
  try {
    if (child.pid) kill(-child.pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}
