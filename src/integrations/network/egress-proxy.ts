import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EgressDestination } from '../../rules/network/egress-violation.ts';
import { createForwardProxy, type ForwardProxy, type ProxyRecord } from './forward-proxy.ts';

/** The only network of one sandbox. */
export type EgressProxy = {
  /** The Unix socket of the proxy, which the sandbox mounts. */
  socketPath: string;
  close(): Promise<void>;
};

/** Opens the network of one command. The labels, for example of a run, are part of every record in the log. */
export type OpenNetwork = (labels: Record<string, string>) => Promise<EgressProxy>;

export type EgressOptions = {
  resolve: (host: string) => Promise<string[]>;
  /** Returns why a destination must not be reached. */
  judge: (destination: EgressDestination) => string | undefined;
  log: (record: ProxyRecord) => void;
  /** Returns the proxy that the installation requires for a destination. It resolves the name itself. */
  upstreamProxy?: (destination: { host: string; port: number }) => URL | undefined;
};

/** A command needs few names at once; each one that waits costs memory of the service. */
const waitingNamesMax = 64;

/**
 * Starts a proxy on a Unix socket. It resolves each name once, judges every address and connects to the first of them, so
 * a name cannot lead to another address after it was judged.
 */
export async function startEgressProxy({ resolve, judge, log, upstreamProxy }: EgressOptions): Promise<EgressProxy> {
  const closing = new AbortController();
  const lookups = createLookups(resolve, closing.signal);
  const proxy = createForwardProxy({
    async findRoute({ host, port }) {
      const upstream = upstreamProxy?.({ host, port });
      if (upstream) return { upstreamProxy: upstream };
      if (lookups.isFull(host)) return { violation: 'Too many host names wait to be looked up. Retry later.' };
      const addresses = await lookups.find(host).catch(() => []);
      const violation = judge({ host, port, addresses });
      const [address] = addresses;
      return violation === undefined && address !== undefined
        ? { address }
        : { violation: violation ?? `The host ${host} has no address.` };
    },
    onRecord: log,
  });
  // The path is short, because a Unix socket path is limited to 107 bytes.
  const folder = await mkdtemp(join(tmpdir(), 'egress-'));
  const socketPath = join(folder, 'proxy.sock');
  proxy.server.listen(socketPath);
  await once(proxy.server, 'listening');
  return {
    socketPath,
    async close() {
      closing.abort();
      await closeProxy(proxy, folder);
    },
  };
}

/**
 * Looks up one name at a time. Node itself looks up only two at a time for the whole process, so a command with many
 * names of a slow DNS server would keep every other connection of the service waiting for minutes.
 */
function createLookups(resolve: EgressOptions['resolve'], signal: AbortSignal) {
  const waiting = new Map<string, Promise<string[]>>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    isFull: (host: string): boolean => !waiting.has(host) && waiting.size >= waitingNamesMax,
    async find(host: string): Promise<string[]> {
      const known = waiting.get(host);
      if (known) return await known;
      const lookup = last.then(async () => {
        signal.throwIfAborted();
        return await resolve(host);
      });
      waiting.set(host, lookup);
      last = lookup.catch(() => undefined).finally(() => waiting.delete(host));
      return await lookup;
    },
  };
}

async function closeProxy(proxy: ForwardProxy, folder: string): Promise<void> {
  await proxy.close();
  await rm(folder, { recursive: true, force: true });
}
