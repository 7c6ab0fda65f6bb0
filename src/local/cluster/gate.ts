import { type IncomingMessage, type ServerResponse, request as forward } from 'node:http';

/** What a gateway does with a request to a zone for people signed in. */
export type Admission =
  | { outcome: 'in' }
  | { outcome: 'sign-in'; url: string }
  | { outcome: 'refused'; status: number; text: string };

/** Asks the service who may open a zone, as an ingress controller does with an authentication URL. */
export type Gate = {
  admit(request: IncomingMessage, zone: string): Promise<Admission>;
  /** Hands a request below `/.service/` over to the service. */
  pass(request: IncomingMessage, response: ServerResponse): void;
};

/** The paths of every zone's host that are the service's own. */
export const servicePath = '/.service/';
/** The cookie is between the service and the gateway: the app does not see it. */
const visitCookie = 'svc_visit';

const answerWithinMs = 5_000;

export function createGate({ serviceUrl, publicUrl }: { serviceUrl: string; publicUrl: string }): Gate {
  return {
    async admit(request, zone) {
      const asked = new URL('/api/v1/auth/zone-visit', serviceUrl);
      asked.searchParams.set('zone', zone);
      const cookie = request.headers.cookie ?? '';
      const answer = await fetch(asked, { headers: { cookie }, signal: AbortSignal.timeout(answerWithinMs) }).catch(
        () => undefined,
      );
      if (answer?.status === 204) return { outcome: 'in' };
      if (answer?.status === 401 && isNavigation(request)) {
        const page = new URL('/api/v1/auth/zone-pass', publicUrl);
        page.searchParams.set('zone', zone);
        page.searchParams.set('to', `http://${request.headers.host}${request.url}`);
        return { outcome: 'sign-in', url: page.href };
      }
      if (answer?.status === 401) return { outcome: 'refused', status: 401, text: 'Sign in to open this environment.' };
      if (answer?.status === 403)
        return {
          outcome: 'refused',
          status: 403,
          text: 'Only people who can see the Product may open this environment.',
        };
      return { outcome: 'refused', status: 503, text: 'Who may open this environment cannot be asked at the moment.' };
    },
    pass(request, response) {
      const { hostname, port } = new URL(serviceUrl);
      const headers = { ...request.headers, 'x-forwarded-host': request.headers.host };
      const sending = forward({ hostname, port, method: request.method, path: request.url, headers }, (answered) => {
        response.writeHead(answered.statusCode ?? 502, answered.headers);
        answered.pipe(response);
      });
      sending.on('error', () => response.writeHead(503).end());
      request.pipe(sending);
    },
  };
}

const isNavigation = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && (headers.accept ?? '').includes('text/html') && headers.upgrade === undefined;

/** A request's headers as the app may see them. */
export function withoutVisit(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  const { cookie, 'x-service-user': _, ...others } = headers;
  const kept = (cookie ?? '').split(/; */).filter((one) => one !== '' && !one.startsWith(`${visitCookie}=`));
  return kept.length > 0 ? { ...others, cookie: kept.join('; ') } : others;
}
