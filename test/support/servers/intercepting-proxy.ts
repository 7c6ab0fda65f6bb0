import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type ProxiedRequest = { method: string; path: string; body: string };
type Interception = {
  matches: (request: ProxiedRequest) => boolean;
  when: 'before' | 'after';
  action: () => Promise<unknown>;
  dropsResponse: boolean;
};

/** A proxy that lets a test act at the time when a matching request passes. */
export type InterceptingProxy = {
  url: string;
  /** Acts once, before the next matching request is forwarded. */
  beforeNext: (matches: Interception['matches'], action: Interception['action']) => void;
  /** Acts once, after the server handled the next matching request and before the client gets the response. */
  afterNext: (matches: Interception['matches'], action: Interception['action']) => void;
  /** Forwards the next matching request and drops its response. */
  dropNextResponse: (matches: Interception['matches']) => void;
  /** Removes the interceptions that have not happened yet. */
  clear: () => void;
  close: () => Promise<void>;
};

export async function startInterceptingProxy(origin: string): Promise<InterceptingProxy> {
  const interceptions: Interception[] = [];
  const takeMatch = (proxied: ProxiedRequest, when: Interception['when']): Interception | undefined => {
    const index = interceptions.findIndex((one) => one.when === when && one.matches(proxied));
    return index === -1 ? undefined : interceptions.splice(index, 1)[0];
  };
  const server = createServer((request, response) => {
    forward(request, response).catch((error: unknown) => {
      process.stderr.write(`The intercepting proxy failed: ${String(error)}\n`);
      response.destroy();
    });
  });
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    const proxied = { method: request.method ?? '', path: request.url ?? '', body: body.toString() };
    await takeMatch(proxied, 'before')?.action();
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const served = await fetch(origin + proxied.path, {
      method: proxied.method,
      headers: headers as Record<string, string>,
      redirect: 'manual',
      ...(body.length > 0 && { body }),
    });
    const responseBody = Buffer.from(await served.arrayBuffer());
    const interception = takeMatch(proxied, 'after');
    await interception?.action();
    if (interception?.dropsResponse) return void response.destroy();
    const {
      'content-encoding': ____,
      'transfer-encoding': _____,
      ...headersToKeep
    } = Object.fromEntries(served.headers);
    response.writeHead(served.status, { ...headersToKeep, 'content-length': responseBody.length }).end(responseBody);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const intercept =
    (when: Interception['when'], dropsResponse = false) =>
    (matches: Interception['matches'], action: Interception['action'] = async () => {}): void =>
      void interceptions.push({ matches, when, action, dropsResponse });
  return {
    url: `http://localhost:${port}`,
    beforeNext: intercept('before'),
    afterNext: intercept('after'),
    dropNextResponse: intercept('after', true),
    clear: () => void interceptions.splice(0),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
