import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { ServiceError } from '../../errors.ts';

const loopback = '127.0.0.1';

/** `host` is the value of HOST, and loopback for a server that does not use it. */
export type PortUse = { port: number; purpose: string; configuredBy: string; host?: string };

/** Throws when a port is in use. The message names its purpose and the setting that changes it. */
export async function assertPortFree(use: PortUse): Promise<void> {
  try {
    await probePort(use.port, use.host ?? loopback);
  } catch (error) {
    throw toListenError(error, use);
  }
}

/** Translates the failure to listen on a port into one that names the setting to change. */
export function toListenError(error: unknown, { port, purpose, configuredBy, host = loopback }: PortUse): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new ServiceError(
      'invalid',
      `HOST is not an address of this machine: "${host}". Set one that is, such as 127.0.0.1, or 0.0.0.0 for all.`,
    );
  if (code === 'EADDRINUSE')
    return toPortConflict(`Port ${port}, meant for ${purpose}, is in use by another program.`, configuredBy);
  if (code === 'EACCES')
    return toPortConflict(
      `Port ${port}, meant for ${purpose}, requires more privileges than this user has.`,
      configuredBy,
    );
  return error;
}

/** Returns a loopback port that is free right now. */
export const getFreePort = (): Promise<number> => probePort(0, loopback);

const startAttempts = 5;

/** Starts a server again when another program has taken the port between its choice and its use. */
export async function retryLostPort<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await start();
    } catch (error) {
      if (attempt === startAttempts || !isPortLost(error)) throw error;
    }
}

const isPortLost = (error: unknown): boolean => error instanceof Error && /address already in use/i.test(error.message);

const toPortConflict = (problem: string, configuredBy: string): ServiceError =>
  new ServiceError('conflict', `${problem} Free it, or set another with ${configuredBy}.`);

async function probePort(port: number, host: string): Promise<number> {
  const server = createServer();
  server.listen(port, host);
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return taken;
}
