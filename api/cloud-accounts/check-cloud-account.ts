import { createRoute } from '@hono/zod-openapi';
import { parseSpec } from '../../src/reconcile/parse-spec.ts';
import { type CloudRefusal, toRefusalFix } from '../../src/rules/cloud-accounts/cloud-refusal.ts';
import { toAudience } from '../../src/rules/cloud-accounts/identity-token.ts';
import { CloudAccountKind, CloudAccountSpec, type CloudCheck } from '../../src/rules/cloud-accounts/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { setETag } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, NamedParams } from '../http/views.ts';
import { CloudAccountView, toCloudAccountView } from './schemas.ts';

const route = createRoute({
  operationId: 'checkCloudAccount',
  method: 'post',
  path: '/v1/orgs/{org}/cloud-accounts/{name}/check',
  tags: ['Cloud accounts'],
  summary: 'Check a cloud account of an org',
  description:
    'Exchanges a token of the installation for credentials of the account, verifies the identity with the cloud, and discards the credentials. The result replaces the previous one. If the cloud refuses, it contains the fix.',
  ...requireRole('org-admin'),
  request: { params: NamedParams },
  responses: {
    200: jsonResponse('The cloud account with the result', CloudAccountView),
    ...problems(401, 403, 404, 409),
  },
});

export function checkCloudAccount(app: App, deps: ApiDeps): void {
  const { store, now } = deps;
  app.openapi(route, async (c) => {
    const { org, name } = c.req.valid('param');
    const account = await store.get(CloudAccountKind, { namespace: orgNamespace(org), name });
    const spec = parseSpec(CloudAccountKind, CloudAccountSpec, account);
    const result = await exchangeToken(deps, org, spec);
    const { generation } = account.metadata;
    const lastCheck = { ...result, generation, at: now().toISOString() };
    const checked = await store.updateStatus(CloudAccountKind, account.metadata, ({ status }) => ({
      ...status,
      lastCheck,
    }));
    setETag(c, checked.metadata.resourceVersion);
    return c.json(toCloudAccountView(checked, c.get('role')), 200);
  });
}

type Result = Omit<CloudCheck, 'generation' | 'at'>;

/** The token names the org of the path, so a role that trusts another org refuses it. */
async function exchangeToken(
  { clouds, cloudIdentity }: Pick<ApiDeps, 'clouds' | 'cloudIdentity'>,
  org: string,
  spec: CloudAccountSpec,
): Promise<Result> {
  const { issuer } = cloudIdentity;
  const token = await cloudIdentity.signToken({ org, audience: toAudience(spec) });
  const outcome = await clouds.check(spec, { token, session: `delivery-check-${org}` });
  if ('identity' in outcome)
    return { result: 'works', identity: outcome.identity, message: `Works as ${outcome.identity}` };
  return toRefused(outcome, toRefusalFix(outcome, { spec, issuer, org }));
}

const toRefused = ({ code, message }: CloudRefusal, fix: string): Result => ({ result: 'refused', code, message, fix });
