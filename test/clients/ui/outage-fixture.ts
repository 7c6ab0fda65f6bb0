import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { onTestFinished } from 'vitest';

/** Passes connections on to a port, from an address that browsers do not trust, and records all requests. */
export async function startRecordingProxy(port: number) {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let isOpen = true;
  let lost: { pattern: RegExp; onLost: () => void } | undefined;
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };
  const connectTo = (client: Socket): Socket => {
    const server = track(connect(port, '127.0.0.1'));
    server.on('close', () => client.destroy());
    client.on('close', () => server.destroy());
    return server;
  };
  const proxy = createServer((client) => {
    let server: Socket | undefined;
    let isLost = false;
    track(client).on('data', (bytes: Buffer) => {
      const [, request] = /^([A-Z]+ \S+) HTTP/.exec(bytes.toString('latin1')) ?? [];
      if (request !== undefined) {
        requests.push(request);
        isLost = lost?.pattern.test(request) === true;
      }
      if (!isOpen) return void client.destroy();
      if (!server) {
        server = connectTo(client);
        server.on('data', (response: Buffer) => (isLost ? lost?.onLost() : client.write(response)));
      }
      server.write(bytes);
    });
  });
  proxy.listen(0, '0.0.0.0');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
  return {
    url: `http://${address ?? 'localhost'}:${(proxy.address() as AddressInfo).port}`,
    requests,
    /** Withholds the response to a request, and resolves once it is there: the request has had its effect. */
    lose: async (pattern: RegExp): Promise<void> => {
      await new Promise<void>((resolve) => (lost = { pattern, onLost: resolve }));
      lost = undefined;
    },
    /** Passes nothing on, as if the server were still away. */
    close: (): void => void (isOpen = false),
    open: (): void => void (isOpen = true),
  };
}
