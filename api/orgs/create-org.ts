import { createRoute, z } from '@hono/zod-openapi';
import { ignoreAlreadyExists, ServiceError } from '../../src/errors.ts';
import { defaultAgentWorkflows } from '../../src/rules/agents/default-workflows.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { NameLabel } from '../../src/rules/names.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { isScheduled } from '../../src/rules/scheduling/list-crons.ts';
import { acceptedGenerationAnnotation } from '../../src/rules/conditions.ts';
import type { Store } from '../../src/store/store.ts';
import { createMissingRoles } from '../agents/create-missing-roles.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { wakeSchedules } from '../../src/reconcile/wake-schedules.ts';
import { jsonResponse, body } from '../http/views.ts';
import { orgRef } from './org.ts';
import { OrganizationView, toOrganizationView } from './schemas.ts';

const route = createRoute({
  operationId: 'createOrg',
  method: 'post',
  path: '/v1/orgs',
  tags: ['Orgs'],
  summary: 'Create an org',
  description:
    'Creates an org with the default AgentRoles and AgentWorkflows. Requires a platform admin. Fails with 409 if the name is taken.',
  ...requireRole('platform-admin'),
  request: {
    body: body(
      z.strictObject({
        name: NameLabel.describe('Name of the org, unique in the installation.'),
        displayName: z.string().max(100).optional().describe('Name of the org for people.'),
        codehostAccount: z
          .string()
          .regex(/^[A-Za-z0-9][A-Za-z0-9-]*$/, 'must be the name of an account at the code host')
          .max(100)
          .optional()
          .describe('Account on the code host that owns the org’s repos; defaults to the name of the org.'),
      }),
    ),
  },
  responses: {
    201: jsonResponse('The created org', OrganizationView),
    ...problems(400, 401, 403, 409, 413, 415, 422, 503),
  },
});

export function createOrg(app: App, { store, temporal }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { name, displayName, codehostAccount = name } = c.req.valid('json');
    if (await store.find(OrganizationKind, orgRef(name))) throw orgNameTaken(name);
    // The org is created last, so that repeating an interrupted request completes it.
    await seedDefaults(store, name);
    const spec = {
      codehostAccount,
      gitopsRepo: `${codehostAccount}/gitops`,
      ...(displayName !== undefined && { displayName }),
    };
    const org = await store.create(OrganizationKind, { metadata: orgRef(name), spec });
    await wakeSchedules(temporal, name, scheduledDefaults);
    c.header('Location', `/api/v1/orgs/${name}`);
    return c.json(toOrganizationView(org, 'org-admin'), 201);
  });
}

const scheduledDefaults = Object.entries(defaultAgentWorkflows).flatMap(([name, spec]) =>
  isScheduled(spec) ? [name] : [],
);

const orgNameTaken = (name: string): ServiceError =>
  new ServiceError('already-exists', `An org "${name}" already exists. Choose another name.`);

async function seedDefaults(store: Store, org: string): Promise<void> {
  for (const [name, spec] of Object.entries(defaultAgentWorkflows)) {
    await createMissingRoles(store, org, spec);
    await store
      .create(AgentWorkflowKind, {
        metadata: { namespace: orgNamespace(org), name, annotations: { [acceptedGenerationAnnotation]: '1' } },
        spec,
      })
      .catch(ignoreAlreadyExists);
  }
}
