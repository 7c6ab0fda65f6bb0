import { OpenAPIHono } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { access } from './access/index.ts';
import { createSignInThrottle } from './access/sign-in-throttle.ts';
import { agents } from './agents/index.ts';
import { createAccess } from './authenticate.ts';
import { catalog } from './catalog/index.ts';
import { changes } from './changes/index.ts';
import type { ApiDeps, ApiEnv, App } from './deps.ts';
import { domains } from './domains/index.ts';
import { environments } from './environments/index.ts';
import { installation } from './installation/index.ts';
import { intake } from './intake/index.ts';
import { refuseInvalid } from './invalid-request.ts';
import { metrics } from './metrics.ts';
import { probes } from './probes.ts';
import { answerError } from './problem.ts';
import { reference } from './reference/index.ts';
import { releases } from './releases/index.ts';
import { KeptAnswers } from './show-list.ts';
import { scheduling } from './scheduling/index.ts';
import { answerUnknownPath } from './unknown-path.ts';
import { giveUsualHeaders } from './usual-headers.ts';
import { visits } from './visits.ts';

/** The whole HTTP surface: the operations and their reference under `/api`, the probes beside it. */
export function createApp(deps: ApiDeps): App {
  const api: App = new OpenAPIHono<ApiEnv>({ defaultHook: refuseInvalid });
  const features = [installation, access, catalog, environments, domains, agents];
  for (const feature of [...features, changes, intake, releases, scheduling]) feature(api, deps);
  reference(api, deps);

  const app: App = new OpenAPIHono<ApiEnv>();
  app.use(giveUsualHeaders(deps.config));
  metrics(app, deps);
  app.use(prepare(deps));
  probes(app, deps);
  visits(app, deps);
  app.route('/api', api);
  app.onError(answerError(deps));
  app.notFound(answerUnknownPath(app, deps));
  return app;
}

function prepare(deps: ApiDeps): MiddlewareHandler<ApiEnv> {
  const rules = createAccess(deps);
  const throttle = createSignInThrottle();
  const kept = new KeptAnswers(deps.store);
  return async (c, next) => {
    c.set('access', rules);
    c.set('throttle', throttle);
    c.set('kept', kept);
    await next();
  };
}
