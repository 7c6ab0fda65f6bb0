import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { createGateServer } from '../../gate/create-gate-server.ts';
import type { ForwardAuth } from '../../gate/forward-auth.ts';
import type { Rejection } from '../../gate/rejection.ts';
import type { Instance } from './instance.ts';

/** The zone behind a host name: its next running process, if any, and the forward auth that a request must pass. */
export type Destination = { nextInstance(): Instance | undefined; forwardAuth?: { auth: ForwardAuth; zone: string } };
export type FindDestination = (host: string) => Destination | undefined;

/** Returns true for a host that a port serves; a page of any other host reached the port by DNS rebinding. */
type IsServedHost = (host: string) => boolean;

/** Routes each request to the zone of its Host header. */
export function createRouter(route: FindDestination, isServed: IsServedHost = () => true): Server {
  const find = (request: IncomingMessage) => {
    const host = toHostName(request);
    if (!isServed(host)) return rejections.misdirected;
    const destination = route(host);
    if (!destination) return rejections.zoneNotFound;
    const { forwardAuth } = destination;
    const connect = async (client: ServerResponse | Socket) => await connectToInstance(route, host, client);
    return { connect, ...(forwardAuth && { forwardAuth }) };
  };
  return createGateServer(find, { addHeaders: toForwardedHeaders });
}

const toHostName = ({ headers }: IncomingMessage): string => (headers.host ?? '').replace(/:\d+$/, '').toLowerCase();

const attemptsMax = 5;

const rejections = {
  misdirected: { status: 421, text: 'This port does not serve the host.' },
  zoneNotFound: { status: 404, text: 'No zone has this address.' },
  noInstance: { status: 503, text: 'No pod of this zone is running.' },
} satisfies Record<string, Rejection>;

/** Connects to a process that serves the host. If the process exits before anything is sent, the next one is tried. */
async function connectToInstance(
  route: FindDestination,
  host: string,
  client: ServerResponse | Socket,
): Promise<Socket | Rejection> {
  const disconnected = new AbortController();
  client.once('close', () => disconnected.abort());
  for (let tries = 0; tries < attemptsMax; tries += 1) {
    const destination = route(host);
    if (destination === undefined) return rejections.zoneNotFound;
    const instance = destination.nextInstance();
    if (instance === undefined) return rejections.noInstance;
    // The request is counted before the first await, so a replaced process keeps running until it is done.
    instance.activeRequests += 1;
    let counted = true;
    const release = (): void => {
      if (counted) instance.activeRequests -= 1;
      counted = false;
    };
    try {
      const connection = await instance.openConnection(disconnected.signal);
      if (disconnected.signal.aborted) {
        connection.destroy();
        throw new Error('The client disconnected.');
      }
      client.once('close', release);
      return connection;
    } catch (error) {
      release();
      if (disconnected.signal.aborted) throw error;
      // The exit of the process is noticed in the next iteration of the event loop.
      await setImmediate();
    }
  }
  return rejections.noInstance;
}

const toForwardedHeaders = ({ headers, socket }: IncomingMessage): OutgoingHttpHeaders => ({
  'x-forwarded-for': socket.remoteAddress ?? '',
  'x-forwarded-proto': 'http',
  'x-forwarded-host': headers.host ?? '',
});
