import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Passing = { method: string; path: string; body: string };
type Watch = {
  matches: (passing: Passing) => boolean;
  when: 'before' | 'after';
  act: () => Promise<unknown>;
  cut: boolean;
};

/** Stands before a server, so that others can act at the very moment at which one of its requests goes by. */
export type Gate = {
  url: string;
  /** Acts once, before the next such request is passed on. */
  before: (matches: Watch['matches'], act: Watch['act']) => void;
  /** Acts once, when the next such request was served and its answer is not yet given. */
  after: (matches: Watch['matches'], act: Watch['act']) => void;
  /** The next such request is served, and its answer lost. */
  loseAnswer: (matches: Watch['matches']) => void;
  /** Forgets what has not come about. */
  open: () => void;
  close: () => Promise<void>;
};

export async function startGate(origin: string): Promise<Gate> {
  const watches: Watch[] = [];
  const take = (passing: Passing, when: Watch['when']): Watch | undefined => {
    const at = watches.findIndex((watch) => watch.when === when && watch.matches(passing));
    return at === -1 ? undefined : watches.splice(at, 1)[0];
  };
  const server = createServer((request, response) => {
    pass(request, response).catch((error: unknown) => {
      process.stderr.write(`At the gate: ${String(error)}\n`);
      response.destroy();
    });
  });
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    const passing = { method: request.method ?? '', path: request.url ?? '', body: body.toString() };
    await take(passing, 'before')?.act();
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const served = await fetch(origin + passing.path, {
      method: passing.method,
      headers: headers as Record<string, string>,
      redirect: 'manual',
      ...(body.length > 0 && { body }),
    });
    const answer = Buffer.from(await served.arrayBuffer());
    const watch = take(passing, 'after');
    await watch?.act();
    if (watch?.cut) return void response.destroy();
    const { 'content-encoding': ____, 'transfer-encoding': _____, ...more } = Object.fromEntries(served.headers);
    response.writeHead(served.status, { ...more, 'content-length': answer.length }).end(answer);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const watch =
    (when: Watch['when'], cut = false) =>
    (matches: Watch['matches'], act: Watch['act'] = async () => {}): void =>
      void watches.push({ matches, when, act, cut });
  return {
    url: `http://localhost:${port}`,
    before: watch('before'),
    after: watch('after'),
    loseAnswer: watch('after', true),
    open: () => void watches.splice(0),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
