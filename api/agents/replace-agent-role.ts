import { createRoute } from '@hono/zod-openapi';
import { AgentRoleKind, AgentRoleSpec } from '../../src/rules/agents/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { readRequiredPrecondition, requiresPrecondition, setETag } from '../http/preconditions.ts';
import { replaceSpec } from '../http/replace-spec.ts';
import { jsonResponse, body, NamedParams, replacementBody } from '../http/views.ts';
import { assertValidAgentRole } from '../../src/reconcile/assert-valid-agent-role.ts';
import { AgentRoleView, toAgentRoleView } from './schemas.ts';

const route = createRoute({
  operationId: 'replaceAgentRole',
  method: 'put',
  path: '/v1/orgs/{org}/agentroles/{name}',
  tags: ['Agents'],
  summary: 'Replace an AgentRole',
  description: 'Fails with 409 if it changed since it was read. Started runs keep their copy of it.',
  ...requireRole('org-admin'),
  ...requiresPrecondition,
  request: { params: NamedParams, body: body(replacementBody(AgentRoleSpec)) },
  responses: {
    200: jsonResponse('The updated AgentRole', AgentRoleView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function replaceAgentRole(app: App, { store, config }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const { spec, ...versions } = c.req.valid('json');
    const precondition = readRequiredPrecondition(c, versions);
    await assertValidAgentRole({ store, config }, org, spec);
    const ref = { namespace: orgNamespace(org), name };
    const replaced = await replaceSpec(store, AgentRoleKind, {
      ref,
      spec,
      precondition,
    });
    setETag(c, replaced.metadata.resourceVersion);
    return c.json(toAgentRoleView(replaced, c.get('role')), 200);
  });
}
