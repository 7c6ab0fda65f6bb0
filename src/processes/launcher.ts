import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { LauncherRequest, LauncherResponse, ProcessStart } from './run-process.ts';

// This program runs other programs for the process that forked it, and ends with it.

const running = new Map<number, ChildProcess>();

process.on('message', (request: LauncherRequest) => {
  if ('start' in request) void start(request.id, request.start);
  else kill(running.get(request.id));
});
process.on('disconnect', () => {
  for (const child of running.values()) kill(child);
  process.exit();
});
// A terminal sends these to every process of its group; the service decides when its programs end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

async function start(id: number, { command, args, cwd, env, input, timeoutMs, outputBytesMax }: ProcessStart) {
  // A group of its own lets a kill reach the programs that the program starts.
  const child = spawn(command, args, { cwd, env, stdio: 'pipe', detached: true });
  running.set(id, child);
  let failure: string | undefined;
  const fail = (reason: string): void => {
    failure ??= reason;
    kill(child);
  };
  const stdout = collect(child.stdout, outputBytesMax, fail);
  const stderr = collect(child.stderr, outputBytesMax, fail);
  const timer = setTimeout(() => fail(`timed out after ${timeoutMs} ms`), timeoutMs);
  // A program may exit before it has read all input; its exit status reports the cause.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  try {
    const [status] = (await once(child, 'close')) as [number | null];
    respond({ id, status, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr), ...(failure && { failure }) });
  } catch (error) {
    respond({ id, status: null, stdout: Buffer.of(), stderr: Buffer.of(), failure: (error as Error).message });
  } finally {
    clearTimeout(timer);
    running.delete(id);
  }
}

function collect(stream: NodeJS.ReadableStream, bytesMax: number, fail: (reason: string) => void): Buffer[] {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) return fail(`wrote more than ${bytesMax} bytes`);
    chunks.push(chunk);
  });
  return chunks;
}

function kill(child: ChildProcess | undefined): void {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}

function respond(response: LauncherResponse): void {
  if (process.connected) process.send?.(response);
}
