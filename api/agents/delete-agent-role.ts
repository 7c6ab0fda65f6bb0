import { createRoute } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { ifMatch } from '../read-page.ts';
import { NamedParams } from '../views.ts';

const route = createRoute({
  operationId: 'deleteAgentRole',
  method: 'delete',
  path: '/v1/orgs/{org}/agentroles/{name}',
  tags: ['Agents'],
  summary: 'Delete an AgentRole; runs that started keep what they started with',
  ...needs('org-admin'),
  request: { params: NamedParams },
  responses: { 204: { description: 'Deleted' }, ...problems(401, 403, 404, 409) },
});

export function deleteAgentRole(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const resourceVersion = ifMatch(c);
    await refuseInUse(store, org, name);
    await store.delete(
      AgentRoleKind,
      { namespace: orgNamespace(org), name },
      resourceVersion === undefined ? {} : { resourceVersion },
    );
    return c.body(null, 204);
  });
}

/** An AgentWorkflow whose AgentRole is gone could not start. */
async function refuseInUse(store: Store, org: string, role: string): Promise<void> {
  const { items } = await store.list(AgentWorkflowKind, { namespace: orgNamespace(org) });
  const user = items.find(({ spec }) => spec.steps.some((step) => step.type === 'agent' && step.role === role));
  if (user)
    throw new ServiceError(
      'conflict',
      `The AgentWorkflow "${user.metadata.name}" uses the AgentRole "${role}". Change that first.`,
    );
}
