import { createServer, type Server } from 'node:net';

/** The ports of a range; the last one is held. They are below those that systems give to connections. */
const rangeSize = 20;

/**
 * Reserves up to nineteen consecutive loopback ports until this process ends, and returns the first. The process holds the
 * last port of their range, so that no other test chooses the same ones before a program listens on them.
 */
export async function reservePorts(count: number): Promise<number> {
  for (;;) {
    const base = 20_000 + rangeSize * Math.floor(Math.random() * 600);
    const holder = await listenOn(base + rangeSize - 1);
    if (!holder) continue;
    holder.unref();
    const free = await Promise.all(Array.from({ length: count }, async (_, index) => await isFree(base + index)));
    if (free.every(Boolean)) return base;
    holder.close();
  }
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
