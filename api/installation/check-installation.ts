import { createRoute } from '@hono/zod-openapi';
import { isDeepStrictEqual } from 'node:util';
import type { z } from '@hono/zod-openapi';
import { toFirstSpec } from '../../src/rules/installation/first-values.ts';
import { normalizeInstallation } from '../../src/rules/installation/installation-violations.ts';
import type { InstallationSpec } from '../../src/rules/installation/kinds.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { body, jsonResponse } from '../http/views.ts';
import { checkSettings } from './check-settings.ts';
import { assertApplicable, findInstallation } from './installation-settings.ts';
import { InstallationChangesBody, InstallationCheckView } from './schemas.ts';

const route = createRoute({
  operationId: 'checkInstallation',
  method: 'post',
  path: '/v1/installation/check',
  tags: ['Installation'],
  summary: 'Check settings of the installation',
  description:
    'Returns what `putInstallation` would change, and the findings about the new settings, without saving them. Fails as `putInstallation` would. Requires a platform admin.',
  ...requireRole('platform-admin'),
  request: { body: body(InstallationChangesBody) },
  responses: {
    200: jsonResponse('The changes and the findings', InstallationCheckView),
    ...problems(400, 401, 403, 409, 413, 415, 422),
  },
});

export function checkInstallation(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const spec = normalizeInstallation(c.req.valid('json'));
    const current = (await findInstallation(deps))?.spec ?? toFirstSpec(deps.config);
    await assertApplicable(deps, spec, current);
    return c.json({ changes: listChanges(current, spec), findings: await checkSettings(deps, spec) }, 200);
  });
}

type Change = z.infer<typeof InstallationCheckView>['changes'][number];

function listChanges(before: InstallationSpec, after: InstallationSpec): Change[] {
  const toValues = ({ platformDomain, managedDomainRoots, signIn }: InstallationSpec): [string, string[]][] => [
    ['/platformDomain', platformDomain === undefined ? [] : [platformDomain]],
    ['/managedDomainRoots', managedDomainRoots],
    ['/signIn/password', [signIn.password]],
  ];
  const previous = new Map(toValues(before));
  return toValues(after)
    .map(([pointer, values]) => ({ pointer, before: previous.get(pointer) ?? [], after: values }))
    .filter((change) => !isDeepStrictEqual(change.before, change.after));
}
