import { createRoute } from '@hono/zod-openapi';
import { checkNow } from '../../workflows/domains/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { speaking } from '../temporal.ts';
import { answer } from '../views.ts';
import { getDomainOf, nameLoop, showDomain } from './domain.ts';
import { DomainParams, DomainView } from './schemas.ts';

const route = createRoute({
  operationId: 'checkDomain',
  method: 'post',
  path: '/v1/orgs/{org}/domains/{domain}/check',
  tags: ['Domains'],
  summary: 'Check a domain’s DNS now, at every server of its zone',
  ...needs('member'),
  request: { params: DomainParams },
  responses: { 200: answer('The domain as it was just seen', DomainView), ...problems(401, 403, 404, 409, 503) },
});

export function checkDomain(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, domain: given } = c.req.valid('param');
    const { metadata } = await getDomainOf(deps.store, { org, domain: given });
    const ref = { org, domain: metadata.name };
    await speaking(deps.temporal, () =>
      deps.temporal.workflow.executeUpdateWithStart(checkNow, {
        args: [{ org }],
        startWorkflowOperation: nameLoop(ref),
      }),
    );
    return c.json(await showDomain(deps, ref, c.get('role')), 200);
  });
}
