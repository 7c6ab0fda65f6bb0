import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { decode, encode, type Packet, TRUNCATED_RESPONSE } from 'dns-packet';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDnsClient, NoResponseError } from '../../../src/integrations/dns/dns-client.ts';

const address = '127.0.0.1';
const question = { name: 'shop.example', type: 'A', recursionDesired: false } as const;
const patientMs = 60_000;

function toResponse(query: Buffer, packet: Packet = {}): Buffer {
  const { id = 0, questions = [] } = decode(query);
  return encode({ type: 'response', id, questions, ...packet });
}

/** Starts a server that answers by UDP, and by TCP on the same port if `overTcp` is given. */
async function startServer(
  answer: (query: Buffer) => Buffer | undefined,
  overTcp?: (query: Buffer, socket: Socket) => void,
) {
  const tcp = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (data) => overTcp?.(data.subarray(2), socket));
  });
  if (overTcp) await once(tcp.listen(0, address), 'listening');
  const tcpAddress = tcp.address();
  const port = tcpAddress !== null && typeof tcpAddress === 'object' ? tcpAddress.port : 0;
  let received = 0;
  const udp = createSocket('udp4').on('message', (data, from) => {
    received += 1;
    const response = answer(data);
    if (response) udp.send(response, from.port, from.address);
  });
  udp.bind(port, address);
  await once(udp, 'listening');
  onTestFinished(() => {
    udp.close();
    tcp.close();
  });
  return { server: { address, port: udp.address().port }, received: () => received };
}

function openClient(timeoutMs = patientMs) {
  const client = createDnsClient({ timeoutMs });
  onTestFinished(() => client.close());
  return client;
}

const withLength = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
};
const truncate = (query: Buffer): Buffer => toResponse(query, { flags: TRUNCATED_RESPONSE });

describe('a query by UDP', () => {
  it('returns the response', async () => {
    const { server } = await startServer((query) => toResponse(query, { flags: 3 }));
    expect(await openClient().query(server, question)).toMatchObject({ rcode: 'NXDOMAIN' });
  });

  it('ends after the timeout', async () => {
    const { server } = await startServer(() => undefined);
    await expect(openClient(20).query(server, question)).rejects.toThrow('did not respond within 20 ms');
  });

  it('waits for the right response after a wrong one', async () => {
    const { server } = await startServer((query) => toResponse(query, { id: 0, type: 'query' }));
    await expect(openClient(20).query(server, question)).rejects.toThrow('did not respond');
  });

  it('is not sent to a server that missed three, for a while', async () => {
    const { server, received } = await startServer(() => undefined);
    const client = openClient(20);
    for (let time = 0; time < 3; time += 1)
      await expect(client.query(server, question)).rejects.toThrow('did not respond within 20 ms');
    await expect(client.query(server, question)).rejects.toThrow('did not respond to recent queries');
    expect(received()).toBe(3);
  });

  it('is sent to a resolver that missed three, because it may have waited for the servers of one name', async () => {
    const { server, received } = await startServer((query) =>
      decode(query).questions?.[0]?.name.toLowerCase() === 'slow.example' ? undefined : toResponse(query),
    );
    const client = openClient(100);
    const resolve = async (name: string) => await client.query(server, { ...question, name, recursionDesired: true });
    for (let time = 0; time < 3; time += 1) await expect(resolve('slow.example')).rejects.toThrow('did not respond');
    expect(await resolve('shop.example')).toMatchObject({ rcode: 'NOERROR' });
    expect(received()).toBe(4);
  });

  it.each(['a..shop.example', '.shop.example', '\ufffd.shop.example', `${'a'.repeat(64)}.example`])(
    'is not sent for %j, which an alias can name but no server can answer',
    async (name) => {
      const { server, received } = await startServer((query) => toResponse(query));
      const client = openClient();
      await expect(client.query(server, { ...question, name })).rejects.toThrow(NoResponseError);
      expect(received()).toBe(0);
    },
  );

  it('counts only timeouts in a row', async () => {
    let isSilent = true;
    const { server, received } = await startServer((query) => (isSilent ? undefined : toResponse(query)));
    const client = openClient(500);
    for (const silent of [true, true, false, true, true, false]) {
      isSilent = silent;
      await client.query(server, question).catch(() => undefined);
    }
    expect(received()).toBe(6);
  });

  it('waits while too many are on their way to the server', async () => {
    const waiting: (() => void)[] = [];
    let most = 0;
    const sockets: { send: () => void }[] = [];
    const udp = createSocket('udp4').on('message', (data, from) => {
      sockets.push({ send: () => udp.send(toResponse(data), from.port, from.address) });
      most = Math.max(most, sockets.length);
      waiting.splice(0).forEach((wake) => wake());
    });
    udp.bind(0, address);
    await once(udp, 'listening');
    onTestFinished(() => void udp.close());
    const client = openClient();
    const server = { address, port: udp.address().port };
    const all = Array.from({ length: 250 }, async () => await client.query(server, question));
    let answered = 0;
    while (answered < 250) {
      if (answered === 0) while (sockets.length < 200) await new Promise<void>((resolve) => waiting.push(resolve));
      const next = sockets.shift();
      if (!next) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        continue;
      }
      next.send();
      answered += 1;
    }
    expect(await Promise.all(all)).toHaveLength(250);
    expect(most).toBe(200);
  });
});

describe('a query to a server older than EDNS', () => {
  it.each([
    ['FORMERR', 1],
    ['NOTIMP', 4],
  ])('is sent again without EDNS after %s, which may repeat no question', async (_, flags) => {
    const { server, received } = await startServer((query) =>
      decode(query).additionals?.length ? toResponse(query, { flags, questions: [] }) : toResponse(query, { flags: 3 }),
    );
    expect(await openClient().query(server, question)).toMatchObject({ rcode: 'NXDOMAIN' });
    expect(received()).toBe(2);
  });

  it('is not sent a third time', async () => {
    const { server, received } = await startServer((query) => toResponse(query, { flags: 1, questions: [] }));
    expect(await openClient().query(server, question)).toMatchObject({ rcode: 'FORMERR' });
    expect(received()).toBe(2);
  });
});

describe('a query by TCP', () => {
  it('follows a truncated response, and joins the parts', async () => {
    const { server } = await startServer(truncate, (query, socket) => {
      const bytes = withLength(toResponse(query, { flags: 3 }));
      socket.write(bytes.subarray(0, 1));
      setImmediate(() => socket.write(bytes.subarray(1, 9), () => socket.end(bytes.subarray(9))));
    });
    expect(await openClient().query(server, question)).toMatchObject({ rcode: 'NXDOMAIN' });
  });

  it.each([
    [
      'sent an unrelated response',
      (query: Buffer, socket: Socket) => socket.end(withLength(toResponse(query, { id: 0, type: 'query' }))),
    ],
    ['sent a truncated response', (query: Buffer, socket: Socket) => socket.end(withLength(truncate(query)))],
    ['closed the connection', (_query: Buffer, socket: Socket) => socket.end()],
  ])('reports a server that %s', async (words, overTcp) => {
    const { server } = await startServer(truncate, (query, socket) => void overTcp(query, socket));
    await expect(openClient().query(server, question)).rejects.toThrow(words);
  });

  it('ends after the timeout', async () => {
    const { server } = await startServer(truncate, () => {});
    await expect(openClient(100).query(server, question)).rejects.toThrow('did not respond within 100 ms');
  });

  it('reports a server that listens by UDP only', async () => {
    const { server } = await startServer(truncate);
    await expect(openClient().query(server, question)).rejects.toThrow('cannot be reached (ECONNREFUSED)');
  });
});
