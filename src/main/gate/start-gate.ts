import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createForwardAuth, type ForwardAuth } from '../../gate/forward-auth.ts';
import { createGateServer } from '../../gate/create-gate-server.ts';
import { connectToApp } from './connect-to-app.ts';
import type { GateSettings } from './read-gate-settings.ts';

/** Longer than the requests of most apps; WebSockets and endless streams end after it. */
const drainTimeoutMs = 25_000;

export type Gate = { port: number; stop(): Promise<void> };

/** Starts the gate of a zone, through which visitors reach its app after they have signed in. */
export async function startGate(settings: GateSettings, log: Pick<Logger, 'warn'>): Promise<Gate> {
  const { port, host, zone, appUrl } = settings;
  const forwardAuth = { auth: logFailures(createAuth(settings), log), zone };
  const server = createGateServer(() => ({ connect: async () => await connectToApp(appUrl), forwardAuth }));
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      await sleep(settings.shutdownDelaySeconds * 1_000);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const timer = setTimeout(() => sockets.forEach((socket) => socket.destroy()), drainTimeoutMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

/** The proxy in front of the gate may not tell how visitors reach it, but all hosts of zones are reached in one way. */
function createAuth({ apiUrl, publicUrl, zoneAddress: { protocol, port } }: GateSettings): ForwardAuth {
  const suffix = port === '' ? '' : `:${port}`;
  const toOrigin = (host: string): string => `${protocol}//${host.replace(/:\d+$/, '')}${suffix}`;
  return createForwardAuth({ serviceUrl: apiUrl, publicUrl, toOrigin });
}

const logFailures = (auth: ForwardAuth, log: Pick<Logger, 'warn'>): ForwardAuth => ({
  ...auth,
  async authorize(request, zone) {
    const result = await auth.authorize(request, zone);
    if ('status' in result && result.status === 503) log.warn({ zone }, 'the API does not authorize requests');
    return result;
  },
});
