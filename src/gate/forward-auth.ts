import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as forward } from 'node:http';
import { request as forwardSecurely } from 'node:https';
import type { Rejection } from './rejection.ts';
import { relayResponse } from './relay-response.ts';
import { removeServiceHeaders } from './service-headers.ts';

/** The user who may open the zone, or why the request must not reach it. */
export type AuthResult = { user: string } | Rejection;

/** Asks the service about each request to a zone that requires sign-in. */
export type ForwardAuth = {
  authorize(request: IncomingMessage, zone: string): Promise<AuthResult>;
  /** Forwards a request below `/.service/` to the service. */
  forwardToService(request: IncomingMessage, response: ServerResponse): void;
};

export type ForwardAuthOptions = {
  /** The URL at which the gate reaches the API. */
  serviceUrl: string;
  /** The URL at which people reach the API. */
  publicUrl: string;
  /** Returns the origin at which visitors reach a host of the zone. */
  toOrigin: (host: string) => string;
};

/** The service handles this path prefix on the host of every zone. */
export const servicePathPrefix = '/.service/';
/** Names the host of the zone to the service: proxies in front of the service replace X-Forwarded-Host. */
const zoneHostHeader = 'x-service-zone-host';

/** The status of a rejection that says nothing about the visitor. */
export const unavailableStatus = 503;

/** A busy service responds late, but is not unavailable. */
const authTimeoutMs = 20_000;

export function createForwardAuth({ serviceUrl, publicUrl, toOrigin }: ForwardAuthOptions): ForwardAuth {
  return {
    async authorize(request, zone) {
      const url = new URL('/api/v1/auth/zone-access', serviceUrl);
      url.searchParams.set('zone', zone);
      const cookie = request.headers.cookie ?? '';
      const signal = AbortSignal.timeout(authTimeoutMs);
      const response = await fetch(url, { headers: { cookie }, redirect: 'error', signal }).catch(() => undefined);
      // An API that ends in the middle of its answer has already said its status.
      await response?.body?.cancel().catch(() => undefined);
      const user = response?.headers.get('x-service-user');
      if (response?.status === 204 && user) return { user };
      if (response?.status === 401 && isNavigation(request)) {
        const page = new URL('/api/v1/auth/zone-sign-in', publicUrl);
        page.searchParams.set('zone', zone);
        page.searchParams.set('to', `${toOrigin(request.headers.host ?? '')}${request.url}`);
        return { status: 302, text: 'Sign in to open this zone.', location: page.href };
      }
      if (response?.status === 401) return { status: 401, text: 'Sign in to open this zone.' };
      if (response?.status === 403)
        return { status: 403, text: 'Only people with access to the Product can open this zone.' };
      return { status: unavailableStatus, text: 'The authorization service is unavailable.' };
    },
    forwardToService(request, response) {
      const service = new URL(serviceUrl);
      // Dots in the path would lead out of the prefix, to the API on the host of the zone.
      const path = URL.parse(request.url ?? '/', serviceUrl)?.pathname ?? '/';
      if (!path.startsWith(servicePathPrefix)) return void response.writeHead(404).end();
      const { cookie } = request.headers;
      const headers = {
        ...removeServiceHeaders(request.headers),
        ...(cookie === undefined ? {} : { cookie }),
        host: service.host,
        [zoneHostHeader]: request.headers.host ?? '',
      };
      const send = service.protocol === 'https:' ? forwardSecurely : forward;
      const sent = send(service, { method: request.method, path: request.url, headers });
      relayResponse(sent, response, { toHeaders: (own) => own, onNoResponse: () => response.writeHead(503).end() });
      response.once('close', () => sent.destroy());
      request.pipe(sent);
    },
  };
}

const isNavigation = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && (headers.accept ?? '').includes('text/html') && headers.upgrade === undefined;
