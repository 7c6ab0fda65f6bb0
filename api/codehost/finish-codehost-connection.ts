import { createRoute, z } from '@hono/zod-openapi';
import type { Workflow } from '@temporalio/common';
import { html } from 'hono/html';
import { isServiceError, ServiceError } from '../../src/errors.ts';
import { roleViolation } from '../../src/rules/access/actions.ts';
import { keepRepositoryAccessStart } from '../../workflows/environments/messages.ts';
import { reconcileDeliveriesStart } from '../../workflows/intake/messages.ts';
import type { Caller } from '../../src/rules/access/roles.ts';
import type { Authenticator, ApiDeps, App } from '../deps.ts';
import { readHostCookie } from '../http/cookies.ts';
import { requireRole } from '../auth/require-role.ts';
import { acceptsHtml, pageHeaders, problemsAsPages, problemsOrPages, renderPage } from '../http/problem-page.ts';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import { uiPaths } from '../http/ui-paths.ts';
import { html as htmlContent, json } from '../http/views.ts';
import { exchangeManifestCode, saveCodehostApp, type CodehostApp } from './codehost-app.ts';
import { connectionCookie, redeemState } from './connection-state.ts';
import { toConnectAgainPage } from './render-connect-again-page.ts';
import { getOrganization } from '../orgs/org.ts';

const FinishedView = z
  .object({
    org: z.string().describe('Org that is connected.'),
    slug: z.string().describe('Name of the org’s app at the code host.'),
    url: z.string().describe('URL of the org’s app at the code host.'),
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
    'The code host redirects the browser here. The caller must be the person who started the connection, in the same browser, and must still have the role org-admin.',
  ...requireRole('signed-in'),
  // The code host may add parameters of its own.
  request: {
    query: z.looseObject({
      code: z
        .string()
        .min(1)
        .max(200)
        .describe('Temporary code of the code host, which is exchanged for the app’s credentials.'),
      state: z.string().min(1).max(200).describe('The `state` that `connectCodehost` returned.'),
    }),
  },
  responses: {
    200: {
      description: 'The org is connected',
      content: { ...json(FinishedView), ...htmlContent },
    },
    ...problemsOrPages(401, 403, 404, 422),
  },
});

export function finishCodehostConnection(app: App, deps: ApiDeps): void {
  const { store, config, now } = deps;
  app.use(route.path, problemsAsPages(toConnectAgainPage));
  app.openapi(route, async (c) => {
    const { code, state } = c.req.valid('query');
    const caller = c.get('caller');
    const browser = readHostCookie(c, connectionCookie, config.publicUrl);
    const org = await redeemState(store, { state, user: caller.user, browser }, now());
    await assertStillAdmin(c.get('authenticator'), caller, org);
    await getOrganization(store, org);
    const created = await exchangeManifestCode(config, code);
    await saveCodehostApp(store, org, created, now());
    await startOrgWorkflows(deps, org);
    const view = {
      org,
      slug: created.slug,
      url: created.html_url,
      installUrl: `${created.html_url}/installations/new`,
    };
    return acceptsHtml(c) ? c.html(renderConnectedPage(org, created), 200, pageHeaders) : c.json(view, 200);
  });
}

/** The connection is valid without them, because a worker starts the missing ones when it starts. */
async function startOrgWorkflows({ temporal, log }: ApiDeps, org: string): Promise<void> {
  for (const { type, options } of [reconcileDeliveriesStart({ org }), keepRepositoryAccessStart({ org })])
    await callWorkflow(temporal, () => temporal.workflow.start<Workflow>(type, options)).catch((error: unknown) => {
      if (!isServiceError(error, 'unavailable')) throw error;
      log.warn({ org, type }, 'Failed to start a workflow of the org: the workflow server cannot be reached');
    });
}

/** The user may have lost the role after starting the connection. */
async function assertStillAdmin(authenticator: Authenticator, caller: Caller, org: string): Promise<void> {
  const violation = roleViolation(await authenticator.findRole(caller, org), 'org-admin');
  if (violation !== undefined)
    throw new ServiceError('insufficient-role', `Not allowed to connect the org "${org}". ${violation}`);
}

const renderConnectedPage = (org: string, app: CodehostApp) =>
  renderPage(
    'Connected',
    html`<h1>The org ${org} is connected</h1>
      <p>
        Its app at the code host is ${app.slug}. Last step:
        <a href="${app.html_url}/installations/new">grant it access to repos</a>.
      </p>
      <p>
        <a href="${uiPaths.setup}">Continue the setup</a> or
        <a href="${uiPaths.codehost(org)}">go to the settings of ${org}</a>.
      </p>`,
  );
