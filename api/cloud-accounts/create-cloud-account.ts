import { createRoute } from '@hono/zod-openapi';
import { invalid } from '../../src/errors.ts';
import { CloudAccountKind, cloudAccountsMax } from '../../src/rules/cloud-accounts/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { createOnce } from '../http/create-once.ts';
import { setETag } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { body, jsonResponse, OrgParams } from '../http/views.ts';
import { getOrganization } from '../orgs/org.ts';
import { identifyRequest } from '../temporal/idempotency.ts';
import { CloudAccountView, NewCloudAccountBody, toCloudAccountView } from './schemas.ts';

const route = createRoute({
  operationId: 'createCloudAccount',
  method: 'post',
  path: '/v1/orgs/{org}/cloud-accounts',
  tags: ['Cloud accounts'],
  summary: 'Add a cloud account to an org',
  description:
    'Saves the AWS role or the Google Cloud service account that the service assumes for the org. No secret is needed: the cloud trusts the identity of the installation, which `getCloudIdentity` describes. `checkCloudAccount` tests it.',
  ...requireRole('org-admin'),
  request: { params: OrgParams, body: body(NewCloudAccountBody) },
  responses: {
    201: jsonResponse('The added cloud account', CloudAccountView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function createCloudAccount(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { name, spec } = c.req.valid('json');
    await getOrganization(store, org);
    const namespace = orgNamespace(org);
    const { items } = await store.list(CloudAccountKind, { namespace });
    if (items.length >= cloudAccountsMax && !items.some(({ metadata }) => metadata.name === name))
      throw invalid(`The org has ${cloudAccountsMax} cloud accounts, which is the maximum. Delete one first.`, [
        { pointer: '/name', detail: `would be more than ${cloudAccountsMax} cloud accounts` },
      ]);
    const identity = identifyRequest(c, `createCloudAccount ${org} ${name}`);
    const created = await createOnce(
      store,
      { kind: CloudAccountKind, identity },
      { metadata: { namespace, name }, spec },
    );
    setETag(c, created.metadata.resourceVersion);
    c.header('Location', `/api/v1/orgs/${org}/cloud-accounts/${name}`);
    return c.json(toCloudAccountView(created, c.get('role')), 201);
  });
}
