import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type SlowProxy = {
  address: string;
  /** Keeps all connections open and forwards nothing, as a server without processor time does. */
  pause(): void;
  resume(): void;
  /** Closes all connections and refuses new ones, as a server that is away does. */
  close(): void;
};

/** Forwards connections to a server until the test pauses or closes it. */
export async function startSlowProxy(address: string): Promise<SlowProxy> {
  const [host = '', port] = address.split(':');
  const sockets: Socket[] = [];
  const proxy = createServer((client) => {
    const server = connect(Number(port), host);
    for (const socket of [client, server]) socket.on('error', () => {});
    sockets.push(client.pipe(server), server.pipe(client));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const close = (): void => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(close);
  return {
    address: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    pause: () => sockets.forEach((socket) => socket.pause()),
    resume: () => sockets.forEach((socket) => socket.resume()),
    close,
  };
}
