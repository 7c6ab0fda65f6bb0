import { type RemoteInfo, type Socket, createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';

export type Server = { address: string; port: number; host?: string };
type PendingQuery = { server: Server; onMessage: (bytes: Buffer) => void; onError: (error: Error) => void };
type OpenSocket = { socket: Socket; pending: Map<number, PendingQuery>; queriesSent: number };

/** A port that is used for long can be guessed, so sockets are replaced after this many queries. */
const queriesPerSocket = 2_000;

/** Shares a few UDP sockets between all concurrent queries. */
export class UdpSockets {
  #current = new Map<'udp4' | 'udp6', OpenSocket>();
  #all = new Set<OpenSocket>();

  /** Sends a message, and passes every packet with its id from that server to the handlers until it is stopped. */
  send(
    server: Server,
    message: { id: number; bytes: Buffer },
    handlers: Omit<PendingQuery, 'server'>,
  ): { stop(): void } {
    const family = isIPv6(server.address) ? 'udp6' : 'udp4';
    const open = this.#getSocket(family, message.id);
    open.pending.set(message.id, { server, ...handlers });
    open.socket.send(message.bytes, server.port, server.address, (error) => error && handlers.onError(error));
    return {
      stop: () => {
        open.pending.delete(message.id);
        const isReplaced = open.queriesSent >= queriesPerSocket || this.#current.get(family) !== open;
        if (isReplaced && open.pending.size === 0) this.#close(open);
      },
    };
  }

  close(): void {
    for (const open of this.#all) this.#close(open);
  }

  #getSocket(family: 'udp4' | 'udp6', id: number): OpenSocket {
    const current = this.#current.get(family);
    if (current && current.queriesSent < queriesPerSocket && !current.pending.has(id)) {
      current.queriesSent += 1;
      return current;
    }
    const socket = createSocket({ type: family, recvBufferSize: 1 << 21 });
    const open: OpenSocket = { socket, pending: new Map(), queriesSent: 1 };
    socket.on('message', (bytes: Buffer, from: RemoteInfo) => dispatchMessage(open, bytes, from));
    socket.on('error', (error) => {
      if (this.#current.get(family) === open) this.#current.delete(family);
      for (const { onError } of open.pending.values()) onError(error);
    });
    socket.unref();
    this.#current.set(family, open);
    this.#all.add(open);
    return open;
  }

  #close(open: OpenSocket): void {
    if (this.#all.delete(open)) open.socket.close();
  }
}

function dispatchMessage({ pending }: OpenSocket, bytes: Buffer, from: RemoteInfo): void {
  if (bytes.length < 12) return;
  const query = pending.get(bytes.readUInt16BE(0));
  if (query?.server.port === from.port && query.server.address === from.address.split('%')[0]) query.onMessage(bytes);
}
