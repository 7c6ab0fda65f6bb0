import { createRoute } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { acceptsPreconditions, deleteIfCurrent, readPrecondition } from '../http/preconditions.ts';
import { NamedParams } from '../http/views.ts';

const route = createRoute({
  operationId: 'deleteAgentRole',
  method: 'delete',
  path: '/v1/orgs/{org}/agentroles/{name}',
  tags: ['Agents'],
  summary: 'Delete an AgentRole',
  description: 'Started runs keep their copy of it. Fails with 409 while an AgentWorkflow uses it.',
  ...requireRole('org-admin'),
  ...acceptsPreconditions,
  request: { params: NamedParams },
  responses: { 204: { description: 'Deleted' }, ...problems(401, 403, 404, 409) },
});

export function deleteAgentRole(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    await assertNotInUse(store, org, name);
    const ref = { namespace: orgNamespace(org), name };
    await deleteIfCurrent(store, AgentRoleKind, { ref, precondition: readPrecondition(c) });
    return c.body(null, 204);
  });
}

/** Runs of an AgentWorkflow could not start without its AgentRoles. */
async function assertNotInUse(store: Store, org: string, role: string): Promise<void> {
  const { items } = await store.list(AgentWorkflowKind, { namespace: orgNamespace(org) });
  const dependent = items.find(({ spec }) => spec.steps.some((step) => step.type === 'agent' && step.role === role));
  if (dependent)
    throw new ServiceError(
      'agent-role-in-use',
      `The AgentWorkflow "${dependent.metadata.name}" uses the AgentRole "${role}". Change or delete that AgentWorkflow first.`,
    );
}
