import { createServer, type Server } from 'node:net';

/** The ports of a range; the last one is held. They are below those that systems give to connections. */
const rangeSize = 20;
/** The ports of the range of this process that nothing has reserved yet. */
let unreserved: number[] = [];

/**
 * Reserves up to nineteen consecutive loopback ports until this process ends, and returns the first. The process holds the
 * last port of their range, so that no other test chooses the same ones before a program listens on them.
 */
export async function reservePorts(count: number): Promise<number> {
  for (;;) {
    while (unreserved.length < count) unreserved = await reserveRange();
    const ports = unreserved.splice(0, count);
    const free = await Promise.all(ports.map(async (port) => await isFree(port)));
    if (free.every(Boolean)) return ports[0] ?? 0;
  }
}

async function reserveRange(): Promise<number[]> {
  const base = 20_000 + rangeSize * Math.floor(Math.random() * 600);
  const holder = await listenOn(base + rangeSize - 1);
  holder?.unref();
  return holder ? Array.from({ length: rangeSize - 1 }, (_, index) => base + index) : [];
}

export const reservePort = async (): Promise<number> => await reservePorts(1);

async function isFree(port: number): Promise<boolean> {
  const probe = await listenOn(port);
  if (probe) await new Promise((resolve) => probe.close(resolve));
  return probe !== undefined;
}

async function listenOn(port: number): Promise<Server | undefined> {
  return await new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
