import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer, connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildWithGo } from '../../src/main/tools/build-with-go.ts';
import { endsWithParent } from '../../src/main/tools/ends-with-parent.mjs';
import { findOnPath } from '../../src/main/tools/find-on-path.ts';
import { makeOnce } from '../../src/main/tools/make-once.ts';
import { toolCacheDir, type Tool } from '../../src/main/tools/tool.ts';

const program = {
  command: 'github.com/versity/versitygw/cmd/versitygw',
  version: '1.8.0',
  what: 'an S3 server for tests',
  howLong: '1 to 2 minutes',
};

/** An S3 server of this machine, made once; undefined, loudly, where a person has none and no Go to make it. */
export async function findS3Server(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const found = await s3Server(env);
  if ('path' in found) return found.path;
  const why = `There is no S3 server: ${found.missing}. Install Go (https://go.dev/dl) or versitygw and try again.`;
  if (env['CI']) throw new Error(why);
  process.stderr.write(`\nSKIPPING THE TESTS OF S3 BLOBS. ${why}\n\n`);
  return undefined;
}

async function s3Server(env: NodeJS.ProcessEnv): Promise<Tool> {
  const installed = await findOnPath('versitygw', env);
  if (installed !== undefined) return { path: installed };
  const cached = join(toolCacheDir(env), `versitygw-${program.version}`);
  const onProgress = (message: string) => process.stderr.write(`${message}\n`);
  return await makeOnce(cached, onProgress, async (workDir) => buildWithGo(program, { workDir, env, onProgress }));
}

export type RunningS3 = {
  url: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  close(): Promise<void>;
};

/** Starts the server over a folder of its own, with these buckets. */
export async function startS3(executable: string, buckets: string[]): Promise<RunningS3> {
  const folder = await mkdtemp(join(tmpdir(), 's3-'));
  for (const name of ['data', 'meta', ...buckets.map((bucket) => `data/${bucket}`)]) await mkdir(join(folder, name));
  const port = await freePort();
  const keys = { accessKeyId: 'an-access-key', secretAccessKey: 'a-secret-that-nobody-shows' };
  // Beside the objects, since not every file system of a temporary folder keeps extended attributes.
  const place = ['posix', '--sidecar', join(folder, 'meta'), join(folder, 'data')];
  const { command, args } = endsWithParent('SIGKILL', executable, ['--quiet', '--port', `127.0.0.1:${port}`, ...place]);
  const server = spawn(command, args, {
    stdio: 'ignore',
    env: {
      PATH: process.env['PATH'],
      ROOT_ACCESS_KEY_ID: keys.accessKeyId,
      ROOT_SECRET_ACCESS_KEY: keys.secretAccessKey,
    },
  });
  const ended = once(server, 'exit');
  await untilListening(port);
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

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

async function untilListening(port: number): Promise<void> {
  for (const deadline = Date.now() + 20_000; ; await pause(20)) {
    const socket = connect(port, '127.0.0.1');
    const isThere = await new Promise<boolean>((answer) => {
      socket.once('connect', () => answer(true)).once('error', () => answer(false));
    });
    socket.destroy();
    if (isThere) return;
    if (Date.now() > deadline) throw new Error('The S3 server did not start within 20 s.');
  }
}
