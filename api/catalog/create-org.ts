import { createRoute, z } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { catalogAgentWorkflows } from '../../src/rules/agents/catalog.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { OrganizationKind } from '../../src/rules/catalog/kinds.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { isScheduled } from '../../src/rules/scheduling/crons-of.ts';
import { takenUpAnnotation } from '../../src/rules/taken-up.ts';
import type { Store } from '../../src/store/store.ts';
import { createRolesOf, unlessThere } from '../agents/catalog-roles.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { wakeSchedules } from '../scheduling/wake-schedules.ts';
import { answer, body } from '../views.ts';
import { orgRef } from './org.ts';
import { OrganizationView, organizationView } from './schemas.ts';

const route = createRoute({
  operationId: 'createOrg',
  method: 'post',
  path: '/v1/orgs',
  tags: ['Orgs'],
  summary: 'Create an org, with the AgentRoles and AgentWorkflows of the catalog',
  ...needs('platform-admin'),
  request: {
    body: body(
      z.strictObject({
        name: NameLabel,
        displayName: z.string().max(100).optional(),
        codehostAccount: z
          .string()
          .regex(/^[A-Za-z0-9][A-Za-z0-9-]*$/, 'must be an account of the code host')
          .max(100)
          .optional(),
      }),
    ),
  },
  responses: { 201: answer('The org', OrganizationView), ...problems(400, 401, 403, 409, 413, 415, 422, 503) },
});

export function createOrg(app: App, { store, temporal }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { name, displayName, codehostAccount = name } = c.req.valid('json');
    if (await store.find(OrganizationKind, orgRef(name))) throw taken(name);
    // The org itself comes last: until it exists, creating it again completes what an interrupted attempt began.
    await createCatalog(store, name);
    const spec = {
      codehostAccount,
      gitopsRepo: `${codehostAccount}/gitops`,
      ...(displayName !== undefined && { displayName }),
    };
    const org = await store.create(OrganizationKind, { metadata: orgRef(name), spec });
    await wakeSchedules(temporal, name, scheduledInCatalog);
    c.header('Location', `/api/v1/orgs/${name}`);
    return c.json(organizationView(org, 'org-admin'), 201);
  });
}

const scheduledInCatalog = Object.entries(catalogAgentWorkflows).flatMap(([name, spec]) =>
  isScheduled(spec) ? [name] : [],
);

const taken = (name: string): ServiceError =>
  new ServiceError('conflict', `There already is an org "${name}". Choose another name.`);

async function createCatalog(store: Store, org: string): Promise<void> {
  for (const [name, spec] of Object.entries(catalogAgentWorkflows)) {
    await createRolesOf(store, org, spec);
    await store
      .create(AgentWorkflowKind, {
        metadata: { namespace: orgNamespace(org), name, annotations: { [takenUpAnnotation]: '1' } },
        spec,
      })
      .catch(unlessThere);
  }
}
