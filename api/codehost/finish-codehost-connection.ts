import { createRoute, z } from '@hono/zod-openapi';
import type { Workflow } from '@temporalio/common';
import { html } from 'hono/html';
import { isServiceError, ServiceError } from '../../src/errors.ts';
import { roleViolation } from '../../src/rules/access/actions.ts';
import { UserKind } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { reconcileDeliveriesStart } from '../../workflows/intake/messages.ts';
import type { Authenticator, ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import { json } from '../http/views.ts';
import { exchangeManifestCode, saveCodehostApp, type CodehostApp } from './codehost-app.ts';
import { redeemState, type ConnectionState } from './connection-state.ts';
import { getOrganization } from '../orgs/org.ts';

const FinishedView = z
  .object({
    org: z.string(),
    slug: z.string(),
    url: z.string(),
    installUrl: z.string().openapi({ description: 'The page that grants the app access to repos.' }),
  })
  .openapi('CodehostConnected');

const route = createRoute({
  operationId: 'finishCodehostConnection',
  method: 'get',
  path: '/v1/codehost/callback',
  tags: ['Codehost'],
  summary: 'Complete the code host connection of an org',
  description:
    'The code host redirects the browser here. The request is authenticated by its `state`; the user who started must still have the role org-admin.',
  ...requireRole('anyone'),
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
    const connection = await redeemState(store, state, now());
    await assertStillAdmin(connection, { store, authenticator: c.get('authenticator') });
    await getOrganization(store, connection.org);
    const created = await exchangeManifestCode(config.codehostApiUrl, code);
    await saveCodehostApp(store, connection.org, created);
    await startReconciliation(deps, connection.org);
    const view = {
      org: connection.org,
      slug: created.slug,
      url: created.html_url,
      installUrl: `${created.html_url}/installations/new`,
    };
    return (c.req.header('accept') ?? '').includes('text/html')
      ? c.html(renderConnectedPage(connection.org, created))
      : c.json(view, 200);
  });
}

/** The connection is valid without it, because a worker starts missing reconciliations when it starts. */
async function startReconciliation({ temporal, log }: ApiDeps, org: string): Promise<void> {
  const { type, options } = reconcileDeliveriesStart({ org });
  await callWorkflow(temporal, () => temporal.workflow.start<Workflow>(type, options)).catch((error: unknown) => {
    if (!isServiceError(error, 'unavailable')) throw error;
    log.warn({ org }, 'Failed to start the reconciliation of deliveries: the workflow server cannot be reached');
  });
}

/** The user may have lost the role after starting the connection. */
async function assertStillAdmin(
  { org, user }: ConnectionState,
  { store, authenticator }: Pick<ApiDeps, 'store'> & { authenticator: Authenticator },
): Promise<void> {
  const found = await store.find(UserKind, { namespace: systemNamespace, name: user });
  const role = found && (await authenticator.findRole({ user, ...found.spec, via: 'session' }, org));
  const violation = roleViolation(role, 'org-admin');
  if (violation !== undefined)
    throw new ServiceError(
      'insufficient-role',
      `The user who started connecting the org "${org}" is no longer allowed to. ${violation}`,
    );
}

const renderConnectedPage = (org: string, app: CodehostApp) =>
  html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <title>Connected</title>
      <h1>The org ${org} is connected</h1>
      <p>
        Its app at the code host is ${app.slug}. Last step:
        <a href="${app.html_url}/installations/new">grant it access to repos</a>.
      </p>
    </html>`;
