import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import type { Image } from './image-store.ts';

const bridge = fileURLToPath(new URL('./bridge.mjs', import.meta.url));
const serveStatic = fileURLToPath(new URL('./serve-static.mjs', import.meta.url));

/** How long an app may take until it listens. */
const readyWithinMs = 20_000;
/** How long requests that are under way may take when the app is replaced. */
const drainWithinMs = 10_000;
const stopWithinMs = 3_000;

export type Instance = {
  readonly socket: string;
  /** Counted by the router. */
  openRequests: number;
  /** Resolves when the process has ended, whoever ended it. */
  readonly ended: Promise<{ code: number | null }>;
  /** Lets open requests finish, asks the app to end, and ends it. */
  retire(): Promise<void>;
};

export type InstanceRequest = { sandbox: Sandbox; image: Image; environment: Record<string, string>; onOutput: (text: string) => void };

/** Starts one process of an app and answers once it takes connections; refused with its last words when it does not. */
export async function startInstance({ sandbox, image, environment, onOutput }: InstanceRequest): Promise<Instance> {
  // Short, because the path of a Unix socket may have 107 bytes.
  const folder = await mkdtemp(join(tmpdir(), 'zone-'));
  let lastWords = '';
  const child = sandbox.spawn({
    argv: ['node', '/service/bridge.mjs'],
    workspace: { path: image.rootfs, writable: false },
    mounts: [
      { host: bridge, inside: '/service/bridge.mjs', writable: false },
      { host: serveStatic, inside: '/service/serve-static.mjs', writable: false },
      { host: folder, inside: '/service/run', writable: true },
    ],
    environment: { NODE_ENV: 'production', HOST: '127.0.0.1', PORT: '3000', ...environment, START_COMMAND: image.start },
  });
  const hear = (chunk: Buffer): void => {
    lastWords = (lastWords + chunk.toString('utf8')).slice(-2_000);
    onOutput(chunk.toString('utf8'));
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  const ended = new Promise<{ code: number | null }>((resolve) => {
    child.once('close', (code) => resolve({ code }));
    child.once('error', (error) => {
      lastWords += error.message;
      resolve({ code: null });
    });
  }).finally(async () => await rm(folder, { recursive: true, force: true }));

  const socket = join(folder, 'app.sock');
  if (!(await isReady(socket, ended))) {
    child.kill('SIGKILL');
    await ended;
    throw new Error(`The app does not listen on PORT within ${readyWithinMs / 1000} s. Its last words: ${lastWords.trim() || '(none)'}`);
  }
  const instance: Instance = { socket, openRequests: 0, ended, retire: async () => await retire(instance, child, join(folder, 'stop.sock')) };
  return instance;
}

async function isReady(socket: string, ended: Promise<unknown>): Promise<boolean> {
  let over = false;
  void ended.then(() => (over = true));
  for (const giveUpAt = Date.now() + readyWithinMs; Date.now() < giveUpAt && !over; await sleep(15)) if (await accepts(socket)) return true;
  return false;
}

async function accepts(socket: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const probe = connect(socket);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}

async function retire(instance: Instance, child: ChildProcess, stopSocket: string): Promise<void> {
  for (const giveUpAt = Date.now() + drainWithinMs; instance.openRequests > 0 && Date.now() < giveUpAt; ) await sleep(20);
  await accepts(stopSocket);
  await Promise.race([instance.ended, sleep(stopWithinMs)]);
  child.kill('SIGKILL');
  await instance.ended;
}
