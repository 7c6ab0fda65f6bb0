import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { reservePort } from './reserve-ports.ts';
import { buildGoProgram } from '../../../src/main/tools/install/build-go-program.ts';
import { withParentDeathSignal } from '../../../src/main/tools/parent-death-signal.mjs';
import { findOnPath } from '../../../src/main/tools/find-on-path.ts';
import { makeOnce } from '../../../src/main/tools/install/make-once.ts';
import { toolCacheDir, type Tool } from '../../../src/main/tools/tool.ts';

const goProgram = {
  command: 'github.com/versity/versitygw/cmd/versitygw',
  version: '1.8.0',
  label: 'an S3 server for tests',
  expectedDuration: '1 to 2 minutes',
};

/** Returns the S3 server program, built once, or warns and returns undefined when it cannot be built. */
export async function findS3Server(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const found = await ensureS3Server(env);
  if ('path' in found) return found.path;
  const reason = `No S3 server is available: ${found.missing}. Install Go (https://go.dev/dl) or versitygw and try again.`;
  if (env['CI']) throw new Error(reason);
  process.stderr.write(`\nSKIPPING THE TESTS OF S3 BLOBS. ${reason}\n\n`);
  return undefined;
}

async function ensureS3Server(env: NodeJS.ProcessEnv): Promise<Tool> {
  const installed = await findOnPath('versitygw', env);
  if (installed !== undefined) return { path: installed };
  const cached = join(toolCacheDir(env), `versitygw-${goProgram.version}`);
  const onProgress = (message: string) => process.stderr.write(`${message}\n`);
  return await makeOnce(cached, onProgress, async (workDir) => buildGoProgram(goProgram, { workDir, env, onProgress }));
}

export type S3Server = {
  url: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  close(): Promise<void>;
};

/** Starts the server in a temporary folder with the given buckets. */
export async function startS3Server(executable: string, buckets: string[]): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), 's3-'));
  for (const name of ['data', 'meta', ...buckets.map((bucket) => `data/${bucket}`)]) await mkdir(join(folder, name));
  const port = await reservePort();
  const keys = { accessKeyId: 'an-access-key', secretAccessKey: 'a-secret-that-stays-secret' };
  // Metadata goes into a sidecar folder, because not every temporary file system has extended attributes.
  const storage = ['posix', '--sidecar', join(folder, 'meta'), join(folder, 'data')];
  const { command, args } = withParentDeathSignal('SIGKILL', executable, [
    '--quiet',
    '--port',
    `127.0.0.1:${port}`,
    ...storage,
  ]);
  const server = spawn(command, args, {
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      ROOT_ACCESS_KEY_ID: keys.accessKeyId,
      ROOT_SECRET_ACCESS_KEY: keys.secretAccessKey,
    },
  });
  const ended = once(server, 'exit');
  await waitUntilListening(port);
  return {
    url: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    ...keys,
    async close() {
      server.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function waitUntilListening(port: number): Promise<void> {
  for (const deadline = Date.now() + 60_000; ; await pause(20)) {
    const socket = connect(port, '127.0.0.1');
    const isListening = await new Promise<boolean>((answer) => {
      socket.once('connect', () => answer(true)).once('error', () => answer(false));
    });
    socket.destroy();
    if (isListening) return;
    if (Date.now() > deadline) throw new Error('The S3 server did not start within 60 s.');
  }
}
