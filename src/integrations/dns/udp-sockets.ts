import { type RemoteInfo, type Socket, createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';

export type Server = { address: string; port: number; host?: string };
type Waiting = { server: Server; take: (bytes: Buffer) => void; fail: (error: Error) => void };
type Open = { socket: Socket; waiting: Map<number, Waiting>; asked: number };

/** A port that is used for long is one that can be guessed. */
const questionsPerSocket = 2_000;

/** A few UDP sockets for any number of questions in flight. */
export class UdpSockets {
  #current = new Map<'udp4' | 'udp6', Open>();
  #all = new Set<Open>();

  /** Sends, and hands over every packet that comes back with that id from that server until it is stopped. */
  send(server: Server, message: { id: number; bytes: Buffer }, heard: Omit<Waiting, 'server'>): { stop(): void } {
    const open = this.#openFor(isIPv6(server.address) ? 'udp6' : 'udp4', message.id);
    open.waiting.set(message.id, { server, ...heard });
    open.socket.send(message.bytes, server.port, server.address, (error) => error && heard.fail(error));
    return {
      stop: () => {
        open.waiting.delete(message.id);
        if (open.asked >= questionsPerSocket && open.waiting.size === 0) this.#close(open);
      },
    };
  }

  close(): void {
    for (const open of this.#all) this.#close(open);
  }

  #openFor(family: 'udp4' | 'udp6', id: number): Open {
    const current = this.#current.get(family);
    if (current && current.asked < questionsPerSocket && !current.waiting.has(id)) {
      current.asked += 1;
      return current;
    }
    const socket = createSocket({ type: family, recvBufferSize: 1 << 21 });
    const open: Open = { socket, waiting: new Map(), asked: 1 };
    socket.on('message', (bytes: Buffer, from: RemoteInfo) => hear(open, bytes, from));
    socket.on('error', (error) => {
      if (this.#current.get(family) === open) this.#current.delete(family);
      for (const { fail } of open.waiting.values()) fail(error);
    });
    socket.unref();
    this.#current.set(family, open);
    this.#all.add(open);
    return open;
  }

  #close(open: Open): void {
    if (this.#all.delete(open)) open.socket.close();
  }
}

function hear({ waiting }: Open, bytes: Buffer, from: RemoteInfo): void {
  if (bytes.length < 12) return;
  const asked = waiting.get(bytes.readUInt16BE(0));
  if (asked?.server.port === from.port && asked.server.address === from.address.split('%')[0]) asked.take(bytes);
}
