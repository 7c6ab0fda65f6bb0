import type { Sandbox, SandboxRequest } from '../../integrations/sandbox/sandbox.ts';
import { BuildFailure } from './plan-build.ts';

export type BuildStep = {
  /** The subject of the failure message. */
  label: string;
  command: string;
  /** The host folder that the step may change. */
  folder: string;
  signal: AbortSignal;
} & Pick<SandboxRequest, 'mounts' | 'network' | 'environment'>;

const stepTimeoutMs = 10 * 60_000;
const headLines = 8;
const tailLines = 12;

const npmEnvironment = {
  npm_config_update_notifier: 'false',
  // Errors would end with the path of a log file that is deleted with the sandbox.
  npm_config_logs_max: '0',
};

export async function runStep(
  sandbox: Sandbox,
  { label, command, folder, signal, environment, ...request }: BuildStep,
): Promise<void> {
  const { exitCode, timedOut, output } = await sandbox.run(
    {
      argv: ['/bin/sh', '-c', command],
      workspace: { path: folder, writable: true },
      environment: { ...npmEnvironment, ...environment },
      ...request,
    },
    { timeoutMs: stepTimeoutMs, outputBytesMax: 8_000, signal },
  );
  signal.throwIfAborted();
  if (exitCode === 0) return;
  const cause = timedOut ? `took longer than ${stepTimeoutMs / 60_000} minutes` : `ended with status ${exitCode}`;
  throw new BuildFailure(`${label} failed (${cause}):\n${truncateOutput(output)}`);
}

/** Most programs report the error last, and some report it first, so both ends are kept. npm ends with its manual. */
function truncateOutput(output: string): string {
  const lines = output
    .trim()
    .split('\n')
    .filter((line) => line.replace(/^npm error/, '').trim() !== '');
  const help = lines.findIndex((line) => /^npm error (Clean install a project|Run "npm help)/.test(line));
  if (help > 0) lines.splice(help);
  if (lines.length <= headLines + tailLines) return lines.join('\n');
  return [...lines.slice(0, headLines), '…', ...lines.slice(-tailLines)].join('\n');
}
