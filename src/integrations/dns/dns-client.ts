import { connect } from 'node:net';
import { type Question, type Reply, type SentQuery, decodeReply, encodeQuestion } from './message.ts';
import { isValidName } from './names.ts';
import { type Server, UdpSockets } from './udp-sockets.ts';

/** No server answered. The message says why, in words for a person. */
export class NoResponseError extends Error {}

export type DnsClient = {
  query(server: Server, question: Question): Promise<Reply>;
  close(): void;
};

/** More concurrent queries would overflow the server's buffer, or look like an attack. */
const maxConcurrentPerServer = 200;
/**
 * After this many timeouts in a row a server is skipped for a while, because a thousand domains of one unreachable server
 * would otherwise wait for it one by one.
 */
const timeoutsMax = 3;
const backoffMs = 5_000;
const trackedServersMax = 10_000;

/** Queries one server by UDP, and by TCP when the response is truncated or may be forged. */
export function createDnsClient({ timeoutMs }: { timeoutMs: number }): DnsClient {
  const sockets = new UdpSockets();
  const servers = new Map<string, ServerState>();
  const sendOnce = async (server: Server, sent: SentQuery): Promise<Reply> => {
    const reply = await queryByUdp(sockets, { server, sent, timeoutMs });
    return reply.retryOverTcp && !rejectsEdns(reply) ? await queryByTcp({ server, sent, timeoutMs }) : reply;
  };
  const send = async (server: Server, question: Question): Promise<Reply> => {
    const reply = await sendOnce(server, encodeQuestion(question));
    return rejectsEdns(reply) ? await sendOnce(server, encodeQuestion(question, { edns: false })) : reply;
  };
  return {
    async query(server, question) {
      // The query would be malformed. No server answers it, and each would seem to be silent.
      if (!isValidName(question.name)) throw new NoResponseError('cannot be queried for an invalid name');
      const key = `${server.address} ${server.port}`;
      const state = servers.get(key) ?? {
        freeSlots: maxConcurrentPerServer,
        waiting: [],
        timeouts: 0,
        backoffUntil: 0,
      };
      servers.set(key, state);
      await acquireSlot(state);
      try {
        if (state.backoffUntil > performance.now()) throw new NoResponseError('did not respond to recent queries');
        const reply = await send(server, question);
        state.timeouts = 0;
        return reply;
      } catch (error) {
        // A resolver may have waited for the servers of one tenant's name, and still answers for the others.
        if (error instanceof QueryTimeoutError && !question.recursionDesired) recordTimeout(state);
        throw error;
      } finally {
        releaseSlot(state);
        if (state.freeSlots === maxConcurrentPerServer && (state.timeouts === 0 || servers.size > trackedServersMax))
          servers.delete(key);
      }
    },
    close: () => sockets.close(),
  };
}

/** RFC 6891: servers older than EDNS reject a query with its record. They may repeat no question. */
const rejectsEdns = ({ rcode }: Reply): boolean => rcode === 'FORMERR' || rcode === 'NOTIMP';

type ServerState = { freeSlots: number; waiting: (() => void)[]; timeouts: number; backoffUntil: number };

async function acquireSlot(state: ServerState): Promise<void> {
  if (state.freeSlots > 0) state.freeSlots -= 1;
  else await new Promise<void>((resolve) => state.waiting.push(resolve));
}

function releaseSlot(state: ServerState): void {
  const next = state.waiting.shift();
  if (next) next();
  else state.freeSlots += 1;
}

function recordTimeout(state: ServerState): void {
  state.timeouts += 1;
  if (state.timeouts >= timeoutsMax) state.backoffUntil = performance.now() + backoffMs;
}

type QueryAttempt = { server: Server; sent: SentQuery; timeoutMs: number };

class QueryTimeoutError extends NoResponseError {}
const timeoutError = (timeoutMs: number): QueryTimeoutError =>
  new QueryTimeoutError(`did not respond within ${timeoutMs} ms`);
const unreachableError = (error: Error): NoResponseError =>
  new NoResponseError(`cannot be reached (${(error as NodeJS.ErrnoException).code ?? error.message})`);

async function queryByUdp(sockets: UdpSockets, { server, sent, timeoutMs }: QueryAttempt): Promise<Reply> {
  const response = Promise.withResolvers<Reply>();
  // Responses that arrived while this process was busy are read before the timeout counts.
  const timer = setTimeout(() => setImmediate(() => response.reject(timeoutError(timeoutMs))), timeoutMs);
  const pending = sockets.send(server, sent, {
    onMessage: (bytes) => {
      const reply = decodeReply(bytes, sent);
      if (reply) response.resolve(reply);
    },
    onError: (error) => response.reject(unreachableError(error)),
  });
  try {
    return await response.promise;
  } finally {
    clearTimeout(timer);
    pending.stop();
  }
}

/** A TCP response cannot be forged blindly, so a server that changes the case of the name is accepted here. */
async function queryByTcp({ server, sent, timeoutMs }: QueryAttempt): Promise<Reply> {
  const response = Promise.withResolvers<Reply>();
  const socket = connect({ host: server.address, port: server.port });
  const timer = setTimeout(() => response.reject(timeoutError(timeoutMs)), timeoutMs);
  let received = Buffer.alloc(0);
  socket.on('connect', () => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(sent.bytes.length);
    socket.write(Buffer.concat([length, sent.bytes]));
  });
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
    const reply = decodeReply(received.subarray(2, 2 + received.readUInt16BE(0)), sent);
    // The records that a truncated response lacks would count as absent.
    if (reply?.isTruncated) response.reject(new NoResponseError('sent a truncated response'));
    else if (reply) response.resolve(reply);
    else response.reject(new NoResponseError('sent an unrelated response'));
  });
  socket.on('error', (error) => response.reject(unreachableError(error)));
  socket.on('close', () => response.reject(new NoResponseError('closed the connection')));
  try {
    return await response.promise;
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}
