import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { ServiceError } from '../errors.ts';

export type PortUse = { port: number; what: string; setBy: string };

/** Refuses a port of loopback that somebody listens on, saying what it was for and where another can be set. */
export async function assertPortFree({ port, what, setBy }: PortUse): Promise<void> {
  try {
    await listenBriefly(port);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') throw refused(`Port ${port}, meant for ${what}, is in use by another program.`, setBy);
    if (code === 'EACCES')
      throw refused(`Port ${port}, meant for ${what}, needs more rights than this user has.`, setBy);
    throw error;
  }
}

/** A port of loopback that nobody listens on right now. */
export const freePort = (): Promise<number> => listenBriefly(0);

const refused = (problem: string, setBy: string): ServiceError =>
  new ServiceError('conflict', `${problem} Free it, or set another with ${setBy}.`);

async function listenBriefly(port: number): Promise<number> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return taken;
}
