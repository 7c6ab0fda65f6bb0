import { OpenAPIHono } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { SharedWatches } from '../src/store/shared-watches.ts';
import { access } from './access/index.ts';
import { activity } from './activity/index.ts';
import { agents } from './agents/index.ts';
import { audit } from './audit/index.ts';
import { recordWrites } from './audit/record-writes.ts';
import { createAuthenticator } from './auth/authenticate.ts';
import { createSignInGuards } from './auth/sign-in-guards.ts';
import { backups } from './backups/index.ts';
import { changes } from './changes/index.ts';
import { cloudAccounts } from './cloud-accounts/index.ts';
import { codehost } from './codehost/index.ts';
import type { ApiDeps, ApiEnv, App } from './deps.ts';
import { deviceSignIn } from './device-sign-in/index.ts';
import { dora } from './dora/index.ts';
import { domains } from './domains/index.ts';
import { slos } from './slos/index.ts';
import { environments } from './environments/index.ts';
import { explanations } from './explain/index.ts';
import { IssueIndex } from './find/issue-index.ts';
import { finding } from './find/index.ts';
import { assertValidRequest } from './http/assert-valid-request.ts';
import { addConventions } from './http/conventions.ts';
import { defaultHeaders } from './http/default-headers.ts';
import { handleUnknownPath } from './http/handle-unknown-path.ts';
import { logRequests } from './http/log-requests.ts';
import { measureRequests } from './http/metrics.ts';
import { handleError } from './http/problem.ts';
import { QuotaGuard } from './http/quota-guard.ts';
import { RateLimiter } from './http/rate-limiter.ts';
import { represent } from './http/represent.ts';
import { ResponseCache } from './http/response-cache.ts';
import { StreamCounter } from './http/stream-counter.ts';
import { traceRequests } from './http/trace-requests.ts';
import { identity } from './identity/index.ts';
import { incidents } from './incidents/index.ts';
import { installation } from './installation/index.ts';
import { probes } from './installation/probes.ts';
import { intake } from './intake/index.ts';
import { licensing } from './licensing/index.ts';
import { me } from './me/index.ts';
import { orgs } from './orgs/index.ts';
import { products } from './products/index.ts';
import { clusters } from './clusters/index.ts';
import { registries } from './registries/index.ts';
import { reference } from './reference/index.ts';
import { releases } from './releases/index.ts';
import { scheduling } from './scheduling/index.ts';
import { statusPages } from './status-page/index.ts';
import { serveUi } from './ui/serve-ui.ts';
import { zoneAccess } from './zone-access/index.ts';
import { redeemLoginTicket } from './zone-access/redeem-login-ticket.ts';

/** Mounts every operation and the reference under `/api`; probes and the web UI are served at the root. */
export function createApp(deps: ApiDeps): App {
  const api: App = addConventions(new OpenAPIHono<ApiEnv>({ defaultHook: assertValidRequest }), deps);
  const foundations = [
    installation,
    licensing,
    backups,
    access,
    identity,
    deviceSignIn,
    me,
    zoneAccess,
    orgs,
    codehost,
    clusters,
    registries,
    cloudAccounts,
    products,
  ];
  const features = [
    environments,
    slos,
    domains,
    agents,
    changes,
    intake,
    releases,
    incidents,
    scheduling,
    explanations,
    finding,
    dora,
    activity,
    audit,
  ];
  const recorded = { ...deps, store: recordWrites(deps.store) };
  for (const feature of [...foundations, ...features]) feature(api, recorded);

  const app: App = new OpenAPIHono<ApiEnv>();
  app.use(defaultHeaders(deps.config));
  logRequests(app, deps);
  traceRequests(app, deps.tracer);
  measureRequests(app, deps.metrics);
  app.use(provideContext(deps));
  app.use('/api/*', represent(deps.config));
  probes(app, deps);
  redeemLoginTicket(app, deps);
  statusPages({ app, api }, deps);
  reference(api, deps);
  app.route('/api', api);
  app.onError(handleError(deps));
  app.notFound(serveUi(app, deps, handleUnknownPath(app, deps)));
  return app;
}

function provideContext(deps: ApiDeps): MiddlewareHandler<ApiEnv> {
  const authenticator = createAuthenticator(deps);
  const signInGuards = { ...createSignInGuards(deps), ...deps.signInGuards };
  const quotaGuard = new QuotaGuard(deps.config.quotas);
  const rateLimiter = new RateLimiter(deps.config.quotas.requestsPerUserPerMinute);
  const streamCounter = new StreamCounter(deps.config.quotas);
  const sharedWatches = new SharedWatches(deps.store, (error) =>
    deps.log.warn({ error: String(error) }, 'Watch failed'),
  );
  const responseCache = new ResponseCache(deps.store);
  const issueIndex = new IssueIndex(deps.codehost, (fields, message) => deps.log.warn(fields, message));
  return async (c, next) => {
    c.set('authenticator', authenticator);
    c.set('signInGuards', signInGuards);
    c.set('streamCounter', streamCounter);
    c.set('quotaGuard', quotaGuard);
    c.set('rateLimiter', rateLimiter);
    c.set('sharedWatches', sharedWatches);
    c.set('responseCache', responseCache);
    c.set('issueIndex', issueIndex);
    await next();
  };
}
