import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { type Server, type Socket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The bridge of one app opens these connections to the host; each carries one request. */
export type AppConnections = {
  /** The host folder of the sockets; the sandbox can see it but not write to it. */
  socketDir: string;
  /** Resolves at the first connection, when the app listens. */
  ready: Promise<void>;
  /** Returns an idle connection, and waits for one if needed. After `close` it rejects before anything is sent. */
  acquire(signal: AbortSignal): Promise<Socket>;
  /** Asks the bridge to stop the app gracefully. */
  requestStop(): void;
  close(): Promise<void>;
};

/** The bridge keeps far fewer open. The limit protects the host from an app that opens connections without end. */
const idleConnectionsMax = 64;

const folderPrefix = 'zone-';

/** Removes the socket folders of processes that were killed. */
export async function removeStaleSocketFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = /^zone-(\d+)-\w{6}$/.exec(name)?.[1];
    // The folders of another user cannot be removed.
    if (owner && !isRunning(Number(owner))) await rm(join(tmpdir(), name), { recursive: true }).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export async function openAppConnections(): Promise<AppConnections> {
  // The path is short because a Unix socket path is limited to 107 bytes.
  const socketDir = await mkdtemp(join(tmpdir(), `${folderPrefix}${process.pid}-`));
  const idle: Socket[] = [];
  const waiting: ((connection: Socket) => void)[] = [];
  const controls: Socket[] = [];
  const closed = new AbortController();
  const firstConnection = Promise.withResolvers<void>();

  const requests = createServer({ allowHalfOpen: true }, (connection) => {
    connection.on('error', () => {});
    firstConnection.resolve();
    const next = waiting.shift();
    if (next) return next(connection);
    if (closed.signal.aborted || idle.length >= idleConnectionsMax) return connection.destroy();
    idle.push(connection);
    connection.once('close', () => removeItem(idle, connection));
  });
  const stop = createServer((control) => {
    control.on('error', () => {}).resume();
    if (controls.push(control) > idleConnectionsMax) control.destroy();
  });
  await listenOnSocket(requests, join(socketDir, 'requests.sock'));
  await listenOnSocket(stop, join(socketDir, 'stop.sock'));

  return {
    socketDir,
    ready: firstConnection.promise,
    async acquire(signal) {
      const connection = idle.shift();
      if (connection) return connection;
      const next = Promise.withResolvers<Socket>();
      const either = AbortSignal.any([signal, closed.signal]);
      const cancel = (): void => {
        removeItem(waiting, next.resolve);
        next.reject(new Error('The app no longer accepts requests.'));
      };
      if (either.aborted) cancel();
      else waiting.push(next.resolve);
      either.addEventListener('abort', cancel);
      return await next.promise.finally(() => either.removeEventListener('abort', cancel));
    },
    requestStop: () => controls.forEach((control) => control.end()),
    async close() {
      closed.abort();
      for (const socket of [...idle, ...controls]) socket.destroy();
      requests.close();
      stop.close();
      await rm(socketDir, { recursive: true, force: true });
    },
  };
}

async function listenOnSocket(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
}

function removeItem<T>(list: T[], item: T): void {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}
