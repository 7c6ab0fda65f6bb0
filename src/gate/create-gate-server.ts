import {
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
  createServer,
} from 'node:http';
import type { Socket } from 'node:net';
import { type AuthResult, type ForwardAuth, servicePathPrefix, unavailableStatus } from './forward-auth.ts';
import { forwardRequest, forwardUpgrade } from './forward-to-app.ts';
import { endWithRejection, type Rejection, respondWithRejection } from './rejection.ts';
import { userHeader } from './service-headers.ts';

/** The zone that a request is for: how to connect to its app, and the forward auth that the request must pass. */
export type Destination = {
  /** Opens a connection for one request of the client. */
  connect(client: ServerResponse | Socket): Promise<Socket | Rejection>;
  forwardAuth?: { auth: ForwardAuth; zone: string };
};
export type FindDestination = (request: IncomingMessage) => Destination | Rejection;

type GateOptions = {
  /** Returns headers that every request gets, such as those that name the client. */
  addHeaders?: (request: IncomingMessage) => OutgoingHttpHeaders;
  /** The time after which the access of a visitor is checked again, while a request or a WebSocket lasts. */
  recheckMs?: number;
};

/** Any other upgrade, such as to HTTP/2, would carry requests that do not pass the gate. */
const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket';

const limits = {
  // The proxy in front of the gate limits requests and idle connections. If the gate closed an idle connection at the
  // moment of its next request, that request would fail.
  requestTimeout: 0,
  keepAliveTimeout: 0,
  keepAlive: true,
  shouldUpgradeCallback: isWebSocket,
};

/** Serves zones: it rejects a request, forwards it to the service, or forwards it to the app of its zone. */
export function createGateServer(find: FindDestination, options: GateOptions = {}): Server {
  const { addHeaders = () => ({}), recheckMs = 60_000 } = options;
  type Admitted = { connection: Socket; added: OutgoingHttpHeaders };
  const admit = async (
    request: IncomingMessage,
    { forwardAuth, connect }: Destination,
    client: ServerResponse | Socket,
  ): Promise<Admitted | Rejection> => {
    const authorize = async (): Promise<AuthResult | undefined> =>
      await forwardAuth?.auth.authorize(request, forwardAuth.zone);
    const result = await authorize();
    if (result && 'status' in result) return result;
    // A visitor who has left causes no further event, so nothing would end the connection.
    if (client.destroyed) throw new Error('The visitor left.');
    const connection = await connect(client);
    if ('status' in connection) return connection;
    if (client.destroyed) {
      connection.destroy();
      throw new Error('The visitor left.');
    }
    if (result) endWithAccess(client, authorize, recheckMs);
    return { connection, added: { ...addHeaders(request), ...(result && { [userHeader]: result.user }) } };
  };
  const handleRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const destination = find(request);
    if ('status' in destination) return respondWithRejection(response, destination);
    const { forwardAuth } = destination;
    if (forwardAuth && request.url?.startsWith(servicePathPrefix))
      return forwardAuth.auth.forwardToService(request, response);
    const admitted = await admit(request, destination, response);
    if ('status' in admitted) return respondWithRejection(response, admitted);
    forwardRequest(request, response, admitted);
  };
  const handleUpgrade = async (request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> => {
    socket.on('error', () => socket.destroy());
    const destination = find(request);
    const admitted = 'status' in destination ? destination : await admit(request, destination, socket);
    if ('status' in admitted) return endWithRejection(socket, admitted);
    forwardUpgrade(request, { socket, head }, admitted);
  };
  const server = createServer(limits, (request, response) => {
    handleRequest(request, response).catch(() => response.destroy());
  });
  server.on('upgrade', (request, socket: Socket, head) => {
    handleUpgrade(request, socket, head).catch(() => socket.destroy());
  });
  return server;
}

/** Ends what lasts, such as a WebSocket, when its visitor loses access. An API that is unavailable ends nothing. */
function endWithAccess(
  client: ServerResponse | Socket,
  authorize: () => Promise<AuthResult | undefined>,
  intervalMs: number,
): void {
  const check = async (): Promise<void> => {
    const result = await authorize();
    if (result && 'status' in result && result.status !== unavailableStatus) client.destroy();
    else if (!client.destroyed) timer.refresh();
  };
  const timer = setTimeout(() => void check().catch(() => client.destroy()), intervalMs);
  client.once('close', () => clearTimeout(timer));
}
