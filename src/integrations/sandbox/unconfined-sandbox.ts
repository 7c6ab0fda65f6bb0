import { spawn, type ChildProcess } from 'node:child_process';
import { dirname } from 'node:path';
import { execPath, kill as killProcess } from 'node:process';
import { waitForExit } from './wait-for-exit.ts';
import type { Sandbox, SandboxedProcess, SandboxRequest } from './sandbox.ts';

const noApps =
  'Apps cannot run without a sandbox, because each of them needs files and a port of its own. Remove SANDBOX, and run the platform on Linux with user namespaces.';

/**
 * DANGEROUS: commands run without isolation, with all rights of the service's own user, including its keys. Use it only
 * on a host that holds nothing else, and only when the operator enables it explicitly.
 */
export function unconfinedSandbox(): Sandbox {
  const start = ({ argv, workspace, environment }: SandboxRequest): SandboxedProcess => {
    const [program = '', ...rest] = argv;
    const path = `${dirname(execPath)}:/usr/local/bin:/usr/bin:/bin`;
    const child = spawn(program, rest, {
      cwd: workspace.path,
      env: { PATH: path, HOME: workspace.path, LANG: 'C.UTF-8', CI: 'true', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      // In its own process group, all processes of the command can be killed together.
      detached: true,
    });
    return { child, kill: () => killProcessGroup(child) };
  };
  return {
    appViolation: noApps,
    spawn: start,
    async run(request, options) {
      const { child, kill } = start(request);
      return await waitForExit(child, kill, options).finally(kill);
    },
  };
}

function killProcessGroup(child: ChildProcess): void {
  try {
    if (child.pid) killProcess(-child.pid, 'SIGKILL');
  } catch {
    // The process group has already ended.
  }
}
