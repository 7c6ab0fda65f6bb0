import { randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import { etag } from 'hono/etag';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { authenticate } from '../auth.ts';
import { HttpError, notFound } from '../http-error.ts';
import type { Host } from '../host.ts';
import { accountRoutes } from './account-routes.ts';
import { activityRoutes } from './activity-routes.ts';
import { appRoutes } from './app-routes.ts';
import { branchRoutes } from './branch-routes.ts';
import { commitRoutes } from './commit-routes.ts';
import { contentRoutes } from './content-routes.ts';
import { gitDataRoutes } from './git-data-routes.ts';
import { graphqlRoute } from './graphql-route.ts';
import { hookDeliveryRoutes } from './hook-delivery-routes.ts';
import { installationRoutes } from './installation-routes.ts';
import { issueCommentRoutes } from './issue-comment-routes.ts';
import { issueEventRoutes } from './issue-event-routes.ts';
import { issueRoutes } from './issue-routes.ts';
import { labelRoutes } from './label-routes.ts';
import { pullReviewRoutes } from './pull-review-routes.ts';
import { pullRoutes } from './pull-routes.ts';
import { refRoutes } from './ref-routes.ts';
import { releaseRoutes } from './release-routes.ts';
import { repositoryRoutes } from './repository-routes.ts';
import type { RestApi, RestContext, RestEnv } from './requests.ts';
import { userRoutes } from './user-routes.ts';

const routeGroups = [
  accountRoutes,
  appRoutes,
  hookDeliveryRoutes,
  installationRoutes,
  repositoryRoutes,
  branchRoutes,
  activityRoutes,
  refRoutes,
  gitDataRoutes,
  contentRoutes,
  commitRoutes,
  releaseRoutes,
  issueCommentRoutes,
  issueEventRoutes,
  issueRoutes,
  labelRoutes,
  pullReviewRoutes,
  pullRoutes,
  graphqlRoute,
  userRoutes,
];

export function createRestApi(host: Host): RestApi {
  const rest: RestApi = new Hono<RestEnv>();
  rest.use(etag({ weak: true }));
  rest.use(async (c, next) => {
    setStandardHeaders(c);
    c.set('caller', authenticate(host, c.req.header('authorization')));
    await next();
  });
  rest.onError((error, c) => toErrorResponse(host, c, error));
  for (const addRoutes of routeGroups) addRoutes(rest, host);
  rest.all('*', () => {
    throw notFound();
  });
  return rest;
}

/** The rate limit headers are constant, because the emulator has no limits. */
function setStandardHeaders(c: RestContext): void {
  const limit = c.req.header('authorization') === undefined ? 60 : 5000;
  const hourS = 3600;
  c.header('X-GitHub-Request-Id', randomBytes(12).toString('hex').toUpperCase());
  c.header('X-GitHub-Media-Type', 'github.v3; format=json');
  c.header('X-RateLimit-Limit', String(limit));
  c.header('X-RateLimit-Remaining', String(limit - 1));
  c.header('X-RateLimit-Used', '1');
  c.header('X-RateLimit-Reset', String(Math.ceil(Date.now() / 1000 / hourS) * hourS));
  c.header('X-RateLimit-Resource', 'core');
}

function toErrorResponse(host: Host, c: RestContext, error: Error): Response {
  if (!(error instanceof HttpError)) {
    host.log(`${c.req.method} ${c.req.path}: ${error.stack ?? error.message}`);
    return c.json({ message: 'Server Error' }, 500);
  }
  const { status, message, errors } = error;
  const body = {
    message,
    ...(errors.length > 0 ? { errors } : {}),
    documentation_url: 'https://docs.github.com/rest',
    status: String(status),
  };
  return c.json(body, status as ContentfulStatusCode);
}
