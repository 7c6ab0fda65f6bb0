import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DecodedPacket, type Packet, TRUNCATED_RESPONSE, decode, encode } from 'dns-packet';
import { onTestFinished } from 'vitest';

export type FakeDnsServer = { address: string; received: () => number };
type FakeDnsOptions = {
  address?: string;
  port?: number;
  answer?: (query: DecodedPacket) => Packet;
  /** The time that each answer takes. */
  delayMs?: number;
};

/** Counts the queries to an address until the test ends, and leaves them unanswered unless `answer` is given. */
export async function startFakeDnsServer(options: FakeDnsOptions = {}): Promise<FakeDnsServer> {
  const { address = '127.0.0.1', port = 0, answer, delayMs } = options;
  let received = 0;
  let isClosed = false;
  const socket = createSocket('udp4').on('message', async (data, from) => {
    received += 1;
    if (!answer) return;
    if (delayMs !== undefined) await sleep(delayMs);
    if (!isClosed) socket.send(encode(answer(decode(data))), from.port, from.address);
  });
  socket.bind(port, address);
  await once(socket, 'listening');
  onTestFinished(() => {
    isClosed = true;
    socket.close();
  });
  return { address: `${address}:${socket.address().port}`, received: () => received };
}

const serverFailure = 2;
export const answerServerFailure = ({ id = 0, questions = [] }: DecodedPacket): Packet => {
  return { type: 'response', id, flags: serverFailure, questions };
};

/** Refers to TCP, where nothing listens: a server that is away, without a timeout to wait for. */
export const referToTcp = ({ id = 0, questions = [] }: DecodedPacket): Packet => {
  return { type: 'response', id, flags: TRUNCATED_RESPONSE, questions };
};
