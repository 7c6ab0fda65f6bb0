import { createRoute, z } from '@hono/zod-openapi';
import { html } from 'hono/html';
import { isServiceError, ServiceError } from '../../src/errors.ts';
import { refusal } from '../../src/rules/access/actions.ts';
import { UserKind } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { reconcileDeliveriesStart } from '../../workflows/intake/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import type { Access, ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { speaking } from '../temporal.ts';
import { json } from '../views.ts';
import { convertCode, keepCodehostApp, type CodehostApp } from './codehost-app.ts';
import { redeemState, type ConnectionState } from './connection-state.ts';
import { getOrganization } from './org.ts';

const FinishedView = z
  .object({
    org: z.string(),
    slug: z.string(),
    url: z.string(),
    installUrl: z.string().openapi({ description: 'Where its rights are given to the repos.' }),
  })
  .openapi('CodehostConnected');

const route = createRoute({
  operationId: 'finishCodehostConnection',
  method: 'get',
  path: '/v1/codehost/callback',
  tags: ['Orgs'],
  summary: 'Where the code host sends the browser back; the state is the proof',
  ...needs('anyone'),
  request: { query: z.object({ code: z.string().min(1).max(200), state: z.string().min(1).max(200) }) },
  responses: {
    200: {
      description: 'The org is connected',
      content: { ...json(FinishedView), 'text/html': { schema: z.string() } },
    },
    ...problems(401, 403, 404, 422, 503),
  },
});

export function finishCodehostConnection(app: App, deps: ApiDeps): void {
  const { store, config, now } = deps;
  app.openapi(route, async (c) => {
    const { code, state } = c.req.valid('query');
    const started = await redeemState(store, state, now());
    await refuseFormerAdmin(started, { store, access: c.get('access') });
    await getOrganization(store, started.org);
    const made = await convertCode(config.codehostApiUrl, code);
    await keepCodehostApp(store, started.org, made);
    await beginReconciliation(deps, started.org);
    const view = {
      org: started.org,
      slug: made.slug,
      url: made.html_url,
      installUrl: `${made.html_url}/installations/new`,
    };
    return (c.req.header('accept') ?? '').includes('text/html') ? c.html(page(started.org, made)) : c.json(view, 200);
  });
}

/** The connection stands without it; a worker that starts begins what is missing. */
async function beginReconciliation({ temporal, log }: ApiDeps, org: string): Promise<void> {
  const options = { ...reconcileDeliveriesStart({ org }), taskQueue: defaultTaskQueue };
  const typedSearchAttributes = searchAttributes({ org, targetKind: 'delivery' });
  await speaking(temporal, () =>
    temporal.workflow.start('reconcileDeliveries', { ...options, typedSearchAttributes }),
  ).catch((error: unknown) => {
    if (!isServiceError(error, 'unavailable')) throw error;
    log.warn({ org }, 'Reconciliation of deliveries has not begun: the workflow server cannot be reached.');
  });
}

/** Between the start and now, whoever started may have lost the role that it takes. */
async function refuseFormerAdmin(
  { org, user }: ConnectionState,
  { store, access }: Pick<ApiDeps, 'store'> & { access: Access },
): Promise<void> {
  const found = await store.find(UserKind, { namespace: systemNamespace, name: user });
  const role = found && (await access.roleIn({ user, ...found.spec, via: 'session' }, org));
  const why = refusal(role, 'org-admin');
  if (why !== undefined)
    throw new ServiceError('forbidden', `Whoever started connecting org "${org}" may not do so any more. ${why}`);
}

const page = (org: string, app: CodehostApp) =>
  html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <title>Connected</title>
      <h1>The org ${org} is connected</h1>
      <p>
        Its application at the code host is ${app.slug}. Last step:
        <a href="${app.html_url}/installations/new">give it its repos</a>.
      </p>
    </html>`;
