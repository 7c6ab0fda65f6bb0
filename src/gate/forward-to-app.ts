import { type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse, request as forward } from 'node:http';
import type { Socket } from 'node:net';
import { formatResponseHead } from './format-response-head.ts';
import { relayResponse } from './relay-response.ts';
import { endWithRejection, respondWithRejection } from './rejection.ts';
import { removeHopByHopHeaders, removeServiceHeaders } from './service-headers.ts';

/** A connection to the app, for one request, and the headers that the gate adds to those of the visitor. */
export type Upstream = { connection: Socket; added: OutgoingHttpHeaders };

const noResponse = { status: 502, text: 'The app did not respond.' };

const startRequest = (request: IncomingMessage, { connection, added }: Upstream) =>
  forward({
    createConnection: () => connection,
    method: request.method,
    path: request.url,
    headers: { ...removeHopByHopHeaders(removeServiceHeaders(request.headers)), ...added },
    setHost: false,
  });

/** Streams a request to the app and its response to the visitor. When either side ends early, so does the other. */
export function forwardRequest(request: IncomingMessage, response: ServerResponse, upstream: Upstream): void {
  const sent = startRequest(request, upstream);
  relayResponse(sent, response, {
    toHeaders: removeHopByHopHeaders,
    onNoResponse: () => respondWithRejection(response, noResponse),
  });
  response.once('close', () => upstream.connection.destroy());
  // An app may respond to the headers alone, while the body is still being sent.
  sent.flushHeaders();
  request.pipe(sent);
}

/**
 * Forwards a request for a WebSocket. Bytes are passed on only after the app has agreed: on the connection of a request
 * that the app answers otherwise, a proxy could send the requests of other visitors, which must pass the gate.
 */
export function forwardUpgrade(
  request: IncomingMessage,
  { socket, head }: { socket: Socket; head: Buffer },
  { connection, added }: Upstream,
): void {
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket' };
  const sent = startRequest(request, { connection, added: { ...added, ...upgrade } });
  sent.on('upgrade', (answer, appSocket, appHead) => {
    socket.write(formatHead(answer, upgrade));
    socket.write(appHead);
    appSocket.write(head);
    appSocket.pipe(socket).pipe(appSocket);
  });
  sent.on('response', (answer) => {
    // The body arrives decoded, so its end is the end of the connection.
    delete answer.headers['transfer-encoding'];
    socket.write(formatHead(answer, { connection: 'close' }));
    answer.pipe(socket.resume(), { end: false });
    answer.once('end', () => socket.destroySoon()).on('error', () => socket.destroy());
  });
  let hasResponse = false;
  sent.once('upgrade', () => (hasResponse = true)).once('response', () => (hasResponse = true));
  sent.on('error', () => {
    if (hasResponse) socket.destroy();
    else endWithRejection(socket, noResponse);
  });
  connection.on('error', () => socket.destroySoon());
  connection.on('close', () => socket.destroySoon());
  socket.on('close', () => connection.destroy());
  sent.end();
}

/** The head of the response of the app, with headers of this connection instead of those of the other. */
const formatHead = ({ statusCode = 502, statusMessage, headers }: IncomingMessage, own: OutgoingHttpHeaders): string =>
  formatResponseHead(statusCode, { ...removeHopByHopHeaders(headers), ...own }, statusMessage);
