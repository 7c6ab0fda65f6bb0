import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { formatResponseHead } from './format-response-head.ts';

/** A response that the gate sends instead of forwarding the request. */
export type Rejection = { status: number; text: string; location?: string };

const toHeaders = ({ status, location }: Rejection): Record<string, string> => ({
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  ...(status >= 500 ? { 'retry-after': '1' } : {}),
  ...(location === undefined ? {} : { location }),
});

export function respondWithRejection(response: ServerResponse, rejection: Rejection): void {
  response.writeHead(rejection.status, toHeaders(rejection));
  response.end(`${rejection.text}\n`);
}

/** Rejects a request whose connection was to be upgraded, and closes the connection. */
export function endWithRejection(socket: Socket, rejection: Rejection): void {
  const headers = { ...toHeaders(rejection), connection: 'close', 'content-length': '0' };
  // The rest of the request is read and dropped; the connection would otherwise stay open.
  socket.resume().write(formatResponseHead(rejection.status, headers));
  socket.destroySoon();
}
