import { connect } from 'node:net';
import { type Question, type Reply, type Sent, readReply, writeQuestion } from './message.ts';
import { type Server, UdpSockets } from './udp-sockets.ts';

/** Nobody answered: why, in words for a person. */
export class NoAnswer extends Error {}

export type Exchange = {
  ask(server: Server, question: Question): Promise<Reply>;
  close(): void;
};

/** What one server is asked at once; more would be dropped by its socket's buffer, or look like an attack. */
const atOncePerServer = 200;
/**
 * A server that missed so many questions in a row is left alone for a while: a thousand domains at one that is away
 * would otherwise wait for it one after the other.
 */
const missesMax = 3;
const restMs = 5_000;
/** As many servers as are remembered to be away. */
const linesMax = 10_000;

/** Puts single questions to single servers: by UDP, and by TCP where the answer is cut off or may be somebody else's. */
export function createExchange({ timeoutMs }: { timeoutMs: number }): Exchange {
  const sockets = new UdpSockets();
  const lines = new Map<string, Line>();
  const ask = async (server: Server, question: Question): Promise<Reply> => {
    const sent = writeQuestion(question);
    const reply = await byUdp(sockets, { server, sent, timeoutMs });
    return reply.doubtful ? await byTcp({ server, sent, timeoutMs }) : reply;
  };
  return {
    async ask(server, question) {
      const key = `${server.address} ${server.port}`;
      const line = lines.get(key) ?? { free: atOncePerServer, next: [], misses: 0, restsUntil: 0 };
      lines.set(key, line);
      await enter(line);
      try {
        if (line.restsUntil > performance.now()) throw new NoAnswer('did not answer a moment ago');
        const reply = await ask(server, question);
        line.misses = 0;
        return reply;
      } catch (error) {
        if (error instanceof TooLate) miss(line);
        throw error;
      } finally {
        leave(line);
        if (line.free === atOncePerServer && (line.misses === 0 || lines.size > linesMax)) lines.delete(key);
      }
    },
    close: () => sockets.close(),
  };
}

type Line = { free: number; next: (() => void)[]; misses: number; restsUntil: number };

async function enter(line: Line): Promise<void> {
  if (line.free > 0) line.free -= 1;
  else await new Promise<void>((resolve) => line.next.push(resolve));
}

function leave(line: Line): void {
  const next = line.next.shift();
  if (next) next();
  else line.free += 1;
}

function miss(line: Line): void {
  line.misses += 1;
  if (line.misses >= missesMax) line.restsUntil = performance.now() + restMs;
}

type Asking = { server: Server; sent: Sent; timeoutMs: number };

class TooLate extends NoAnswer {}
const tooLate = (timeoutMs: number): TooLate => new TooLate(`did not answer within ${timeoutMs} ms`);
const notReached = (error: Error): NoAnswer =>
  new NoAnswer(`cannot be reached (${(error as NodeJS.ErrnoException).code ?? error.message})`);

async function byUdp(sockets: UdpSockets, { server, sent, timeoutMs }: Asking): Promise<Reply> {
  const answer = Promise.withResolvers<Reply>();
  // Answers that came while this process was busy are read before the time-out counts.
  const timer = setTimeout(() => setImmediate(() => answer.reject(tooLate(timeoutMs))), timeoutMs);
  const sending = sockets.send(server, sent, {
    take: (bytes) => {
      const reply = readReply(bytes, sent);
      if (reply) answer.resolve(reply);
    },
    fail: (error) => answer.reject(notReached(error)),
  });
  try {
    return await answer.promise;
  } finally {
    clearTimeout(timer);
    sending.stop();
  }
}

/** TCP cannot be answered by somebody who only guesses, so a server that spells its own way is heard here. */
async function byTcp({ server, sent, timeoutMs }: Asking): Promise<Reply> {
  const answer = Promise.withResolvers<Reply>();
  const socket = connect({ host: server.address, port: server.port });
  const timer = setTimeout(() => answer.reject(tooLate(timeoutMs)), timeoutMs);
  let received = Buffer.alloc(0);
  socket.on('connect', () => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(sent.bytes.length);
    socket.write(Buffer.concat([length, sent.bytes]));
  });
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
    const reply = readReply(received.subarray(2, 2 + received.readUInt16BE(0)), sent);
    if (reply) answer.resolve(reply);
    else answer.reject(new NoAnswer('answers something else'));
  });
  socket.on('error', (error) => answer.reject(notReached(error)));
  socket.on('close', () => answer.reject(new NoAnswer('closes the connection')));
  try {
    return await answer.promise;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}
