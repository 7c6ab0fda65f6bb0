import { createRoute } from '@hono/zod-openapi';
import { checkDomainUpdate } from '../../workflows/domains/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import { jsonResponse } from '../http/views.ts';
import { getDomain, verifyDomainStartOperation, getDomainView } from './domain.ts';
import { DomainParams, DomainView } from './schemas.ts';

const route = createRoute({
  operationId: 'checkDomain',
  method: 'post',
  path: '/v1/orgs/{org}/domains/{domain}/check',
  tags: ['Domains'],
  summary: 'Check the DNS of a domain',
  description: 'Queries every name server of the domain’s DNS zone immediately and returns the result.',
  ...requireRole('member'),
  request: { params: DomainParams },
  responses: { 200: jsonResponse('The domain after the check', DomainView), ...problems(401, 403, 404, 409) },
});

export function checkDomain(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, domain: requestedName } = c.req.valid('param');
    const { metadata } = await getDomain(deps.store, { org, domain: requestedName });
    const ref = { org, domain: metadata.name };
    await callWorkflow(deps.temporal, () =>
      deps.temporal.workflow.executeUpdateWithStart(checkDomainUpdate, {
        args: [{ org }],
        startWorkflowOperation: verifyDomainStartOperation(ref),
      }),
    );
    return c.json(await getDomainView(deps, ref, c.get('role')), 200);
  });
}
