import type { Server, Socket } from 'node:net';
import { toBareHost, toPort } from '../../rules/network/url-destination.ts';
import { createForwardProxy, type ProxyDestination } from '../network/forward-proxy.ts';
import type { Site } from './browser.ts';

export type SiteProxy = {
  /** The URL for the browser's proxy setting. */
  url: string;
  allows(url: string): boolean;
  /** Returns the first connection error, if there was one. */
  connectionError(): string | undefined;
  close(): Promise<void>;
};

/** No useful page is larger, so a larger one is probably an attack on the worker. */
const pageBytesMax = 64 * 1024 * 1024;

/**
 * Serves a proxy for each capture through one listening socket in the browser's network, which is otherwise empty. Each
 * proxy has a loopback address of its own, with which its connections are told apart.
 */
export function serveSiteProxies(listener: Server, port: number): (site: Site) => SiteProxy {
  const accepts = new Map<string, (socket: Socket) => void>();
  let last = 0;
  listener.on('connection', (socket: Socket) => {
    const accept = accepts.get(socket.localAddress ?? '');
    if (accept) accept(socket);
    else socket.destroy();
  });
  const findFreeAddress = (): string => {
    for (;;) {
      last = (last % 60_000) + 1;
      const address = `127.1.${Math.floor(last / 250)}.${(last % 250) + 1}`;
      if (!accepts.has(address)) return address;
    }
  };
  return (site) => {
    const address = findFreeAddress();
    const { accept, close, ...proxy } = createSiteProxy(site);
    accepts.set(address, accept);
    return {
      ...proxy,
      url: `http://${address}:${port}`,
      async close() {
        accepts.delete(address);
        await close();
      },
    };
  };
}

/**
 * Creates a forward proxy with one destination: one host name at one address and port. It is the only network access of
 * the browser, and it never resolves the name again.
 */
function createSiteProxy(site: Site) {
  const origins = allowedOrigins(site.url);
  let connectionError: string | undefined;
  const proxy = createForwardProxy({
    findRoute: (destination) =>
      isAllowed(destination, origins) ? { address: site.address } : { violation: 'Not reachable.' },
    onRecord({ verdict, reason }) {
      if (verdict === 'failed') connectionError ??= reason;
    },
    receivedBytesMax: pageBytesMax,
  });
  return {
    accept: (socket: Socket): void => void proxy.server.emit('connection', socket),
    allows: (url: string): boolean => origins.has(URL.parse(url)?.origin ?? ''),
    connectionError: (): string | undefined => connectionError,
    close: async (): Promise<void> => await proxy.close(),
  };
}

/** Allows the site's origin. A site on the default ports may redirect between http and https. */
function allowedOrigins(siteUrl: string): Set<string> {
  const { origin, hostname, port } = new URL(siteUrl);
  return new Set(port === '' ? [`http://${hostname}`, `https://${hostname}`] : [origin]);
}

/** WebSockets use a tunnel like https, so an http origin may request one too. */
function isAllowed({ kind, host, port }: ProxyDestination, origins: Set<string>): boolean {
  return [...origins].some((origin) => {
    const url = new URL(origin);
    const isSame = toBareHost(url.hostname) === toBareHost(host) && toPort(url) === port;
    return isSame && (kind === 'tunnel' || url.protocol === 'http:');
  });
}
