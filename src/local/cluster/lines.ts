import { mkdtemp, rm } from 'node:fs/promises';
import { type Server, type Socket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The lines that one app's bridge opens to the host; each carries one request. */
export type Lines = {
  /** Host folder with the sockets, for the sandbox to see but not to write. */
  folder: string;
  /** Resolves at the first line: the app listens. */
  opened: Promise<void>;
  /** A line to the app; refused once they are closed, and then nothing was sent. */
  take(signal: AbortSignal): Promise<Socket>;
  /** Asks the app to end in good order. */
  askToStop(): void;
  close(): Promise<void>;
};

/** The bridge offers far fewer: more come from an app that means to exhaust the host. */
const spareMax = 64;

export async function openLines(): Promise<Lines> {
  // Short, because the path of a Unix socket may have 107 bytes.
  const folder = await mkdtemp(join(tmpdir(), 'zone-'));
  const spare: Socket[] = [];
  const waiting: ((line: Socket) => void)[] = [];
  const controls: Socket[] = [];
  const closed = new AbortController();
  const opened = Promise.withResolvers<void>();

  const requests = createServer({ allowHalfOpen: true }, (line) => {
    line.on('error', () => {});
    opened.resolve();
    const next = waiting.shift();
    if (next) return next(line);
    if (closed.signal.aborted || spare.length >= spareMax) return line.destroy();
    spare.push(line);
    line.once('close', () => remove(spare, line));
  });
  const stop = createServer((control) => {
    control.on('error', () => {}).resume();
    if (controls.push(control) > spareMax) control.destroy();
  });
  await listen(requests, join(folder, 'requests.sock'));
  await listen(stop, join(folder, 'stop.sock'));

  return {
    folder,
    opened: opened.promise,
    async take(signal) {
      const line = spare.shift();
      if (line) return line;
      const given = Promise.withResolvers<Socket>();
      const either = AbortSignal.any([signal, closed.signal]);
      const giveUp = (): void => {
        remove(waiting, given.resolve);
        given.reject(new Error('The app does not take requests any more.'));
      };
      if (either.aborted) giveUp();
      else waiting.push(given.resolve);
      either.addEventListener('abort', giveUp);
      return await given.promise.finally(() => either.removeEventListener('abort', giveUp));
    },
    askToStop: () => controls.forEach((control) => control.end()),
    async close() {
      closed.abort();
      for (const socket of [...spare, ...controls]) socket.destroy();
      requests.close();
      stop.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function listen(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
}

function remove<T>(list: T[], item: T): void {
  const at = list.indexOf(item);
  if (at >= 0) list.splice(at, 1);
}
