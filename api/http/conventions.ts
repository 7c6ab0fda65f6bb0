import { z, type RouteConfig } from '@hono/zod-openapi';
import type { Handler, MiddlewareHandler } from 'hono';
import type { ApiDeps, ApiEnv, App } from '../deps.ts';
import { createChangeRecorder } from '../audit/record-change.ts';
import { assertValidText } from './assert-valid-text.ts';
import { limitRate } from './limit-rate.ts';
import { negotiate } from './negotiate.ts';
import { assertNotRestoring, isLockedByRestore } from './assert-not-restoring.ts';
import { assertNoPrecondition } from './preconditions.ts';
import { problems, type ProblemStatus } from './problem.ts';
import { serveFromCache } from './respond-cached.ts';
import { respondOnce } from './respond-once.ts';

type Mount = (route: RouteConfig, handler: Handler<ApiEnv>) => App;

/** Makes `app.openapi` add the conventions of all operations to each one, so that no operation can forget them. */
export function addConventions(app: App, deps: ApiDeps): App {
  const mount = app.openapi as unknown as Mount;
  const recorder = createChangeRecorder(deps);
  const mountWithConventions: Mount = (route, handler) => {
    const recorded = recorder.wrap(route, handler);
    const middleware = [recorder.refusals(route), ...[route.middleware ?? []].flat()];
    // A repeated request changes nothing again, so it is not recorded again.
    return mount(
      withConventions({ ...route, middleware }, deps),
      isRepeatable(route) ? respondOnce(deps, recorded) : recorded,
    );
  };
  app.openapi = mountWithConventions as unknown as App['openapi'];
  return app;
}

function withConventions(route: RouteConfig, deps: ApiDeps): RouteConfig {
  const types = listReturnedTypes(route);
  const isRead = route.method === 'get';
  const statuses: ProblemStatus[] = [
    422,
    ...(types.length > 0 ? [406 as const] : []),
    ...(route['x-preconditions'] === undefined ? [] : [412 as const]),
    ...(route['x-preconditions'] === 'required' ? [428 as const] : []),
    ...(isRepeatable(route) || isLockedByRestore(route) ? [409 as const] : []),
    ...(requiresCaller(route) ? [429 as const] : []),
  ];
  const middleware: MiddlewareHandler<ApiEnv>[] = [
    ...[route.middleware ?? []].flat(),
    ...(requiresCaller(route) ? [limitRate(deps)] : []),
    ...(isLockedByRestore(route) ? [assertNotRestoring(deps)] : []),
    ...(types.length > 0 ? [negotiate(types)] : []),
    ...(takesJson(route) ? [assertValidText] : []),
    ...(isRead || route['x-preconditions'] !== undefined ? [] : [rejectPreconditions]),
    ...(isRead && requiresCaller(route) ? [serveFromCache] : []),
  ];
  return {
    ...route,
    middleware,
    ...(isRepeatable(route) && { parameters: [idempotencyKeyHeader] }),
    request: { ...route.request, query: toStrict(route.request?.query) },
    responses: {
      ...problems(...statuses),
      ...(isRead && types.length > 0 && { 304: { description: 'The copy of `If-None-Match` is current' } }),
      ...(isRepeatable(route) ? withReplayedHeader(route.responses) : route.responses),
    },
  };
}

const rejectPreconditions: MiddlewareHandler<ApiEnv> = async (c, next) => {
  assertNoPrecondition(c);
  await next();
};

/**
 * A POST has no other way to be repeated safely. Without a caller, there is none to tell the keys apart; and the digest of a
 * request covers JSON only.
 */
const isRepeatable = (route: RouteConfig): boolean =>
  route.method === 'post' && requiresCaller(route) && (takesJson(route) || route.request?.body === undefined);

const idempotencyKeyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A unique key of the request. A retry with the same key and the same token or session gets the response to the first request, for 30 days. Use a new key for each request.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
  example: 'b1946ac9-2f6e-4a3c-8d7b-5a3f1c9e0d42',
} as const;

const replayedHeader = {
  description: '`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.',
  schema: { type: 'string' as const, enum: ['true'] },
  example: 'true',
};

const withReplayedHeader = (responses: RouteConfig['responses']): RouteConfig['responses'] =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      status.startsWith('2') && !('$ref' in response)
        ? { ...response, headers: { 'Idempotent-Replayed': replayedHeader } }
        : response,
    ]),
  );

const takesJson = ({ request }: RouteConfig): boolean => 'application/json' in (request?.body?.content ?? {});

const requiresCaller = ({ security = [] }: RouteConfig): boolean => security.some((scheme) => 'session' in scheme);

/** The media types of the success responses. An operation whose type is known only at run time negotiates itself. */
function listReturnedTypes({ responses }: RouteConfig): string[] {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const types = successes.flatMap(([, response]) => ('content' in response ? Object.keys(response.content ?? {}) : []));
  return types.some((type) => type.includes('*')) ? [] : [...new Set(types)];
}

type Query = NonNullable<RouteConfig['request']>['query'];

/** Rejects unknown query parameters, so that a parameter of a later version is never ignored; `z.looseObject` allows them. */
function toStrict(query: Query): Query {
  if (query === undefined) return z.strictObject({});
  return query instanceof z.ZodObject && query.def.catchall === undefined ? query.strict() : query;
}
