import type { SecureContextOptions } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import { ServiceError } from '../../errors.ts';
import type { ResolvedDestination } from '../../rules/network/destination-violation.ts';
import { toPort } from '../../rules/network/url-destination.ts';
import { pinnedLookup, resolveHost } from './resolve-host.ts';

type Resolve = (hostname: string) => Promise<string[]>;

/** Returns why a destination must not be reached. */
export type Judge = (destination: ResolvedDestination) => string | undefined;

type JudgedOptions = Pick<Agent.Options, 'connections' | 'keepAliveTimeout' | 'maxResponseSize'> & {
  /** The certificates of connections, if they are not those of the system. */
  tls?: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'>;
};

/**
 * Sends requests to addresses that a tenant named. Each new connection resolves the host, judges all of its addresses and
 * connects to one of these, so a name cannot resolve to another address after it was judged. It uses no proxy, because
 * that would resolve the name again.
 */
export function judgedDispatcher(
  judge: Judge,
  resolve: Resolve = resolveHost,
  { tls = {}, ...agent }: JudgedOptions = {},
): Agent {
  const connect = async (options: buildConnector.Options, callback: buildConnector.Callback): Promise<void> => {
    let addresses: string[];
    try {
      addresses = await resolveJudged(options, { judge, resolve });
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    buildConnector({ ...tls, lookup: pinnedLookup(addresses) })(options, callback);
  };
  return new Agent({ ...agent, connect: (options, callback) => void connect(options, callback) });
}

async function resolveJudged(
  { hostname, protocol, port }: buildConnector.Options,
  { judge, resolve }: { judge: Judge; resolve: Resolve },
): Promise<string[]> {
  const addresses = await resolve(hostname).catch((error: NodeJS.ErrnoException) => {
    // A resolver that fails says nothing about the name, so a later request may succeed.
    if (error.code === 'ENOTFOUND') return [];
    throw error;
  });
  const destination = { protocol, host: hostname, port: toPort({ protocol, port }), addresses };
  const violation = judge(destination);
  if (violation !== undefined) throw new ServiceError('destination-not-allowed', violation);
  return addresses;
}
