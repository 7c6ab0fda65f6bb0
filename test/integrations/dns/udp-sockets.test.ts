import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UdpSockets } from '../../../src/integrations/dns/udp-sockets.ts';

const address = '127.0.0.1';

function toMessage(id: number): { id: number; bytes: Buffer } {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt16BE(id);
  return { id, bytes };
}

/** Starts a server that records from which ports it received which ids, and answers by `answer`. */
async function startServer(answer: (data: Buffer, from: RemoteInfo, socket: Socket) => void = echo) {
  const received: { id: number; port: number }[] = [];
  const socket = createSocket('udp4').on('message', (data, from) => {
    received.push({ id: data.readUInt16BE(0), port: from.port });
    answer(data, from, socket);
  });
  socket.bind(0, address);
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return { server: { address, port: socket.address().port }, received };
}

const echo = (data: Buffer, { port }: RemoteInfo, socket: Socket): void => socket.send(data, port, address);

function openSockets(): UdpSockets {
  const sockets = new UdpSockets();
  onTestFinished(() => sockets.close());
  return sockets;
}

type Target = { address: string; port: number };

/** Sends a message and waits for its response. */
async function ask(sockets: UdpSockets, server: Target, id: number): Promise<Buffer> {
  const response = Promise.withResolvers<Buffer>();
  const { stop } = sockets.send(server, toMessage(id), { onMessage: response.resolve, onError: response.reject });
  return await response.promise.finally(stop);
}

/** Returns whether a socket can be bound to the port, which is then closed again. */
async function isFree(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  try {
    socket.bind(port);
    await once(socket, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    socket.close();
  }
}

describe('UdpSockets', () => {
  it('passes each response to the query with its id', async () => {
    const { server } = await startServer();
    const sockets = openSockets();
    const ids = [1, 2, 3];
    const responses = await Promise.all(ids.map(async (id) => await ask(sockets, server, id)));
    expect(responses.map((bytes) => bytes.readUInt16BE(0))).toEqual(ids);
  });

  it('shares a socket, unless a query with the same id waits', async () => {
    const { server, received } = await startServer();
    const sockets = openSockets();
    await Promise.all([ask(sockets, server, 1), ask(sockets, server, 2)]);
    expect(new Set(received.map(({ port }) => port)).size).toBe(1);
    await Promise.all([ask(sockets, server, 3), ask(sockets, server, 3)]);
    expect(new Set(received.map(({ port }) => port)).size).toBe(2);
  });

  it('replaces a socket after many queries, and closes it once none waits', async () => {
    const { server, received } = await startServer();
    const sockets = openSockets();
    const { stop } = sockets.send(server, toMessage(9_999), { onMessage: () => {}, onError: () => {} });
    for (let id = 0; id < 2_000; id += 1) await ask(sockets, server, id);
    const counts = Map.groupBy(received, ({ port }) => port);
    expect([...counts.values()].map(({ length }) => length)).toEqual([2_000, 1]);
    const [first = 0, second = 0] = counts.keys();
    expect(await isFree(first)).toBe(false);
    stop();
    expect(await isFree(first)).toBe(true);
    expect(await isFree(second)).toBe(false);
  });

  it('closes a socket that another one has replaced because of an id, once its queries are answered', async () => {
    const { server, received } = await startServer();
    const sockets = openSockets();
    await Promise.all([ask(sockets, server, 3), ask(sockets, server, 3)]);
    const [first = 0, second = 0] = received.map(({ port }) => port);
    const free = await Promise.all([isFree(first), isFree(second)]);
    expect(free.toSorted()).toEqual([false, true]);
  });

  it('ignores packets of other servers, of other ids, and those that are too short', async () => {
    const { server: other } = await startServer();
    const { server } = await startServer((data, { port }, socket) => {
      const stranger = createSocket('udp4');
      const forged = Buffer.concat([data, Buffer.from('forged')]);
      stranger.send(forged, port, address, () => {
        stranger.close();
        socket.send(toMessage(99).bytes, port, address);
        socket.send(data.subarray(0, 11), port, address);
        socket.send(data, port, address);
      });
    });
    expect(other.port).not.toBe(server.port);
    expect(await ask(openSockets(), server, 7)).toEqual(toMessage(7).bytes);
  });

  it('passes nothing on after a query was stopped', async () => {
    const { server } = await startServer();
    const sockets = openSockets();
    const responses: number[] = [];
    const onMessage = (bytes: Buffer): void => void responses.push(bytes.readUInt16BE(0));
    sockets.send(server, toMessage(1), { onMessage, onError: () => {} }).stop();
    await ask(sockets, server, 2);
    expect(responses).toEqual([]);
  });

  it('reports an address that cannot be reached', async () => {
    const server = { address: '255.255.255.255', port: 53 };
    await expect(ask(openSockets(), server, 1)).rejects.toMatchObject({ code: 'EACCES' });
  });
});
