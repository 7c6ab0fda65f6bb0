import { createRoute, z, type RouteConfig } from '@hono/zod-openapi';
import type { Handler, MiddlewareHandler } from 'hono';
import type { ApiEnv, App } from '../deps.ts';
import { negotiate } from './negotiate.ts';
import { assertNoPrecondition } from './preconditions.ts';
import { problems, type ProblemStatus } from './problem.ts';
import { serveFromCache } from './respond-cached.ts';

type Mount = (route: RouteConfig, handler: Handler<ApiEnv>) => App;

/** Makes `app.openapi` add the conventions of all operations to each one, so that no operation can forget them. */
export function addConventions(app: App): App {
  const mount = app.openapi as unknown as Mount;
  const mountWithConventions: Mount = (route, handler) => mount(withConventions(route), handler);
  app.openapi = mountWithConventions as unknown as App['openapi'];
  return app;
}

function withConventions(route: RouteConfig): RouteConfig {
  const types = listReturnedTypes(route);
  const isRead = route.method === 'get';
  const statuses: ProblemStatus[] = [
    422,
    ...(types.length > 0 ? [406 as const] : []),
    ...(route['x-preconditions'] === undefined ? [] : [412 as const]),
    ...(route['x-preconditions'] === 'required' ? [428 as const] : []),
  ];
  const middleware: MiddlewareHandler<ApiEnv>[] = [
    ...[route.middleware ?? []].flat(),
    ...(types.length > 0 ? [negotiate(types)] : []),
    ...(isRead || route['x-preconditions'] !== undefined ? [] : [rejectPreconditions]),
    ...(isRead && requiresCaller(route) ? [serveFromCache] : []),
  ];
  return createRoute({
    ...route,
    middleware,
    request: { ...route.request, query: toStrict(route.request?.query) },
    responses: {
      ...problems(...statuses),
      ...(isRead && types.length > 0 && { 304: { description: 'The copy of `If-None-Match` is current' } }),
      ...route.responses,
    },
  });
}

const rejectPreconditions: MiddlewareHandler<ApiEnv> = async (c, next) => {
  assertNoPrecondition(c);
  await next();
};

const requiresCaller = ({ security = [] }: RouteConfig): boolean => security.some((scheme) => 'bearer' in scheme);

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
