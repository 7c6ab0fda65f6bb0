import { createRoute, z } from '@hono/zod-openapi';
import { AgentRoleKind, AgentRoleSpec } from '../../src/rules/agents/kinds.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { createOnce } from '../http/create-once.ts';
import { problems } from '../http/problem.ts';
import { setETag } from '../http/preconditions.ts';
import { jsonResponse, body, OrgParams } from '../http/views.ts';
import { assertValidAgentRole } from '../../src/reconcile/assert-valid-agent-role.ts';
import { identifyRequest } from '../temporal/idempotency.ts';
import { AgentRoleView, toAgentRoleView } from './schemas.ts';

const route = createRoute({
  operationId: 'createAgentRole',
  method: 'post',
  path: '/v1/orgs/{org}/agentroles',
  tags: ['Agents'],
  summary: 'Create an AgentRole',
  description: 'An AgentRole with network access requires that the installation (AGENT_NETWORK) and the org allow it.',
  ...requireRole('org-admin'),
  request: {
    params: OrgParams,
    body: body(
      z.strictObject({
        name: NameLabel.describe('Name of the AgentRole, unique in the org.'),
        spec: AgentRoleSpec.describe('Definition of the AgentRole.'),
      }),
    ),
  },
  responses: {
    201: jsonResponse('The created AgentRole', AgentRoleView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function createAgentRole(app: App, { store, config }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { name, spec } = c.req.valid('json');
    await assertValidAgentRole({ store, config }, org, spec);
    const identity = identifyRequest(c, `createAgentRole ${org} ${name}`);
    const metadata = { namespace: orgNamespace(org), name };
    const created = await createOnce(store, { kind: AgentRoleKind, identity }, { metadata, spec });
    setETag(c, created.metadata.resourceVersion);
    c.header('Location', `/api/v1/orgs/${org}/agentroles/${name}`);
    return c.json(toAgentRoleView(created, c.get('role')), 201);
  });
}
