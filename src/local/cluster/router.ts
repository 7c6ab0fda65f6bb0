import { type IncomingMessage, type Server, type ServerResponse, createServer, request as forward } from 'node:http';
import { type Socket, connect } from 'node:net';
import type { Instance } from './instance.ts';

/** Finds who serves a host name: a process, nobody at the moment, or nobody at all. */
export type Route = (host: string) => Instance | 'nothing-runs' | undefined;

/** Sends each request to the zone whose host name it carries. */
export function createRouter(route: Route): Server {
  const server = createServer((request, response) => handle(route, request, response));
  server.on('upgrade', (request, socket, head) => upgrade(route, request, { socket: socket as Socket, head }));
  return server;
}

const hostOf = (request: IncomingMessage): string => (request.headers.host ?? '').split(':')[0]?.toLowerCase() ?? '';

function handle(route: Route, request: IncomingMessage, response: ServerResponse): void {
  const target = route(hostOf(request));
  if (target === undefined) return answer(response, 404, 'No environment has this address.');
  if (target === 'nothing-runs') return answer(response, 503, 'Nothing runs in this environment at the moment.');
  target.openRequests += 1;
  response.once('close', () => (target.openRequests -= 1));
  const sending = forward({
    socketPath: target.socket,
    method: request.method,
    path: request.url,
    headers: request.headers,
    setHost: false,
  });
  sending.on('response', (answered) => {
    response.writeHead(answered.statusCode ?? 502, answered.statusMessage, answered.headers);
    answered.pipe(response);
    answered.on('error', () => response.destroy());
  });
  sending.on('error', () => {
    if (response.headersSent) response.destroy();
    else answer(response, 502, 'The environment did not answer.');
  });
  response.once('close', () => sending.destroy());
  request.pipe(sending);
}

function upgrade(route: Route, request: IncomingMessage, { socket, head }: { socket: Socket; head: Buffer }): void {
  const target = route(hostOf(request));
  if (target === undefined || target === 'nothing-runs') return void socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n');
  const inside = connect(target.socket, () => {
    const headers = Array.from({ length: request.rawHeaders.length / 2 }, (_, index) => `${request.rawHeaders[2 * index]}: ${request.rawHeaders[2 * index + 1]}`);
    inside.write([`${request.method} ${request.url} HTTP/1.1`, ...headers, '', ''].join('\r\n'));
    inside.write(head);
    inside.pipe(socket).pipe(inside);
  });
  inside.on('error', () => socket.destroy());
  socket.on('error', () => inside.destroy());
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...(status === 503 ? { 'retry-after': '1' } : {}) });
  response.end(`${text}\n`);
}
