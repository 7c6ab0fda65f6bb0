import { createRoute, z } from '@hono/zod-openapi';
import { SecretKind, readSecretText } from '../../src/kinds/kubernetes.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, OrgParams } from '../http/views.ts';
import { defined } from '../../src/defined.ts';
import { checkGitopsRepo } from './check-gitops-repo.ts';
import { codehostAppRef } from './codehost-app.ts';
import { ConnectionView } from './schemas.ts';
import { getOrganization } from '../orgs/org.ts';

const CheckQuery = z.strictObject({
  check: z.enum(['true', 'false']).default('false').openapi({
    description: 'With `true`, the code host is asked whether the app may write to the gitops repo.',
  }),
});

const route = createRoute({
  operationId: 'getCodehostConnection',
  method: 'get',
  path: '/v1/orgs/{org}/codehost',
  tags: ['Codehost'],
  summary: 'Get the code host connection of an org',
  description:
    'Returns whether the org is connected, its app without the credentials, and the gitops repo. `check=true` also asks the code host, and returns `findings`.',
  ...requireRole('viewer'),
  request: { params: OrgParams, query: CheckQuery },
  responses: { 200: jsonResponse('The connection', ConnectionView), ...problems(401, 403, 404) },
});

export function getCodehostConnection(app: App, { store, codehost }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { gitopsRepo } = (await getOrganization(store, org)).spec;
    const secret = await store.find(SecretKind, codehostAppRef(org));
    if (!secret) return c.json({ connected: false, gitopsRepo }, 200);
    const [slug, url] = [readSecretText(secret, 'slug'), readSecretText(secret, 'url')];
    const isChecked = c.req.valid('query').check === 'true';
    const view = {
      connected: true,
      ...defined({ slug, url }),
      gitopsRepo,
      ...(isChecked && { findings: [await checkGitopsRepo(codehost, org, gitopsRepo)] }),
    };
    return c.json(view, 200);
  });
}
