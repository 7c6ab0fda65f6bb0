import { OpenAPIHono } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { requestId } from 'hono/request-id';
import { secureHeaders } from 'hono/secure-headers';
import { access } from './access/index.ts';
import { createSignInThrottle } from './access/sign-in-throttle.ts';
import { agents } from './agents/index.ts';
import { createAccess } from './authenticate.ts';
import { catalog } from './catalog/index.ts';
import { changes } from './changes/index.ts';
import type { ApiDeps, ApiEnv, App } from './deps.ts';
import { installation } from './installation/index.ts';
import { intake } from './intake/index.ts';
import { refuseInvalid } from './invalid-request.ts';
import { probes } from './probes.ts';
import { answerError } from './problem.ts';
import { reference } from './reference/index.ts';
import { releases } from './releases/index.ts';
import { answerUnknownPath } from './unknown-path.ts';

/** The whole HTTP surface: the operations and their reference under `/api`, the probes beside it. */
export function createApp(deps: ApiDeps): App {
  const api: App = new OpenAPIHono<ApiEnv>({ defaultHook: refuseInvalid });
  for (const feature of [installation, access, catalog, agents, changes, intake, releases]) feature(api, deps);
  reference(api, deps);

  const app: App = new OpenAPIHono<ApiEnv>();
  app.use(requestId());
  app.use(
    secureHeaders({ strictTransportSecurity: deps.config.publicUrl.startsWith('https:'), xFrameOptions: 'DENY' }),
  );
  app.use(prepare(deps));
  probes(app, deps);
  app.route('/api', api);
  app.onError(answerError(deps));
  app.notFound(answerUnknownPath(app, deps));
  return app;
}

function prepare(deps: ApiDeps): MiddlewareHandler<ApiEnv> {
  const rules = createAccess(deps);
  const throttle = createSignInThrottle();
  return async (c, next) => {
    c.set('access', rules);
    c.set('throttle', throttle);
    await next();
    // What one person may see is nobody else's; a copy is good only as long as its ETag is.
    if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'private, no-cache');
  };
}
