import { type IncomingMessage, type ServerResponse, request as forward } from 'node:http';

/** The decision about a request to a zone that requires sign-in. */
export type AuthResult =
  | { outcome: 'allowed' }
  | { outcome: 'redirect'; url: string }
  | { outcome: 'denied'; status: number; text: string };

/** Asks the service for each request to a zone, as an ingress controller does with forward auth. */
export type ForwardAuth = {
  authorize(request: IncomingMessage, zone: string): Promise<AuthResult>;
  /** Forwards a request below `/.service/` to the service. */
  forwardToService(request: IncomingMessage, response: ServerResponse): void;
};

/** The service handles this path prefix on the host of every zone. */
export const servicePathPrefix = '/.service/';
/** The app never sees these cookies, which only the service and the gateway exchange. */
const serviceCookie = /^(__Host-)?svc_zone_\w+=/;

const authTimeoutMs = 5_000;

export function createForwardAuth({ serviceUrl, publicUrl }: { serviceUrl: string; publicUrl: string }): ForwardAuth {
  return {
    async authorize(request, zone) {
      const url = new URL('/api/v1/auth/zone-access', serviceUrl);
      url.searchParams.set('zone', zone);
      const cookie = request.headers.cookie ?? '';
      const response = await fetch(url, { headers: { cookie }, signal: AbortSignal.timeout(authTimeoutMs) }).catch(
        () => undefined,
      );
      if (response?.status === 204) return { outcome: 'allowed' };
      if (response?.status === 401 && isNavigation(request)) {
        const page = new URL('/api/v1/auth/zone-sign-in', publicUrl);
        page.searchParams.set('zone', zone);
        page.searchParams.set('to', `http://${request.headers.host}${request.url}`);
        return { outcome: 'redirect', url: page.href };
      }
      if (response?.status === 401)
        return { outcome: 'denied', status: 401, text: 'Sign in to open this environment.' };
      if (response?.status === 403)
        return {
          outcome: 'denied',
          status: 403,
          text: 'Only people with access to the Product may open this environment.',
        };
      return { outcome: 'denied', status: 503, text: 'The authorization service is unavailable.' };
    },
    forwardToService(request, response) {
      const { hostname, port } = new URL(serviceUrl);
      // Dots in the path would lead out of the prefix, to the API on the host of the zone.
      const path = URL.parse(request.url ?? '/', serviceUrl)?.pathname ?? '/';
      if (!path.startsWith(servicePathPrefix)) return void response.writeHead(404).end();
      const headers = { ...request.headers, 'x-forwarded-host': request.headers.host };
      const upstream = forward({ hostname, port, method: request.method, path: request.url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      upstream.on('error', () => response.writeHead(503).end());
      request.pipe(upstream);
    },
  };
}

const isNavigation = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && (headers.accept ?? '').includes('text/html') && headers.upgrade === undefined;

/** Removes the headers and the cookie that the app must not see. */
export function removeServiceHeaders(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const { cookie, 'x-service-user': _, ...others } = headers;
  const kept = (cookie ?? '').split(/; */).filter((one) => one !== '' && !serviceCookie.test(one));
  return kept.length > 0 ? { ...others, cookie: kept.join('; ') } : others;
}
