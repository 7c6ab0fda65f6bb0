import { isDeepStrictEqual } from 'node:util';
import { createRoute } from '@hono/zod-openapi';
import { CloudAccountKind, CloudAccountSpec } from '../../src/rules/cloud-accounts/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { assertCurrent, readRequiredPrecondition, requiresPrecondition, setETag } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { replaceSpec } from '../http/replace-spec.ts';
import { body, jsonResponse, NamedParams, replacementBody } from '../http/views.ts';
import { assertAccountsUnused } from './assert-accounts-unused.ts';
import { CloudAccountView, toCloudAccountView } from './schemas.ts';

const route = createRoute({
  operationId: 'replaceCloudAccount',
  method: 'put',
  path: '/v1/orgs/{org}/cloud-accounts/{name}',
  tags: ['Cloud accounts'],
  summary: 'Replace a cloud account of an org',
  description:
    'Fails with 409 if it changed since it was read, or while the installation signs in to a workload cluster with the account. The result of the last check stays, with the generation that was checked.',
  ...requireRole('org-admin'),
  ...requiresPrecondition,
  request: { params: NamedParams, body: body(replacementBody(CloudAccountSpec)) },
  responses: {
    200: jsonResponse('The updated cloud account', CloudAccountView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function replaceCloudAccount(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const { spec, ...versions } = c.req.valid('json');
    const precondition = readRequiredPrecondition(c, versions);
    const ref = { namespace: orgNamespace(org), name };
    const current = await store.get(CloudAccountKind, ref);
    assertCurrent(current, precondition);
    if (!isDeepStrictEqual(current.spec, spec)) await assertAccountsUnused(store, org, name);
    const replaced = await replaceSpec(store, CloudAccountKind, { ref, spec, precondition });
    setETag(c, replaced.metadata.resourceVersion);
    return c.json(toCloudAccountView(replaced, c.get('role')), 200);
  });
}
