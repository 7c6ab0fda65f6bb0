import { isDeleting } from '../../src/rules/resource.ts';
import { createRoute, z } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { orgFinalizer, OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { nameText, OrgName } from '../../src/rules/names.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { createOnce, isCreatedBy } from '../http/create-once.ts';
import { problems } from '../http/problem.ts';
import { seedOrg } from '../../src/reconcile/seed-org.ts';
import { jsonResponse, body } from '../http/views.ts';
import { orgRef } from './org.ts';
import { identifyRequest } from '../temporal/idempotency.ts';
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
        name: OrgName.describe('Name of the org, unique in the installation.'),
        displayName: nameText(100).optional().describe('Display name of the org.'),
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
    ...problems(400, 401, 403, 409, 413, 415, 422),
  },
});

export function createOrg(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { name, displayName, codehostAccount = name } = c.req.valid('json');
    const existing = await store.find(OrganizationKind, orgRef(name));
    const identity = identifyRequest(c, `createOrg ${name}`);
    if (existing && !isCreatedBy(existing, identity)) throw orgNameTaken(name, isDeleting(existing));
    // The org is created last, so that repeating an interrupted request completes it.
    if (!existing) await seedOrg(store, name);
    const spec = {
      codehostAccount,
      gitopsRepo: `${codehostAccount}/gitops`,
      ...(displayName !== undefined && { displayName }),
    };
    const metadata = { ...orgRef(name), finalizers: [orgFinalizer] };
    const org = await createOnce(store, { kind: OrganizationKind, identity }, { metadata, spec });
    c.header('Location', `/api/v1/orgs/${name}`);
    return c.json(toOrganizationView(org, 'org-admin'), 201);
  });
}

const orgNameTaken = (name: string, isBeingDeleted: boolean): ServiceError =>
  isBeingDeleted
    ? new ServiceError('org-deleting', `The org "${name}" is being deleted. Create it when the deletion is complete.`)
    : new ServiceError('already-exists', `An org "${name}" already exists. Choose another name.`);
