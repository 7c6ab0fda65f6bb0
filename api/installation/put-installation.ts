import { createRoute } from '@hono/zod-openapi';
import { ensureInstallation } from '../../src/reconcile/ensure-installation.ts';
import { normalizeInstallation } from '../../src/rules/installation/installation-violations.ts';
import { InstallationKind, installationRef } from '../../src/rules/installation/kinds.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { assertCurrent, readRequiredPrecondition, requiresPrecondition } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { replaceSpec } from '../http/replace-spec.ts';
import { body, jsonResponse } from '../http/views.ts';
import { checkSettings } from './check-settings.ts';
import { assertApplicable, respondInstallation } from './installation-settings.ts';
import { InstallationSettingsBody, InstallationSettingsView } from './schemas.ts';

const route = createRoute({
  operationId: 'putInstallation',
  method: 'put',
  path: '/v1/installation',
  tags: ['Installation'],
  summary: 'Replace the settings of the installation',
  description:
    'The settings apply in every process from their next use, without a restart. Fails with 409 if the platform domain would change while there are zones, whose addresses are under it, or if a root would be removed under which orgs hold domains. What DNS answers is recorded as findings and refuses nothing. Requires the browser session of a platform admin who signed in with a password.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  ...requiresPrecondition,
  request: { body: body(InstallationSettingsBody) },
  responses: {
    200: jsonResponse('The new settings', InstallationSettingsView),
    ...problems(400, 401, 403, 409, 413, 415, 422),
  },
});

export function putInstallation(app: App, deps: ApiDeps): void {
  const { store } = deps;
  app.openapi(route, async (c) => {
    const { resourceVersion, ...requested } = c.req.valid('json');
    const precondition = readRequiredPrecondition(c, { resourceVersion });
    const current = await ensureInstallation(store, deps.config);
    assertCurrent(current, precondition);
    const spec = normalizeInstallation(requested);
    await assertApplicable(deps, spec, current.spec);
    const findings = await checkSettings(deps, spec);
    await replaceSpec(store, InstallationKind, { ref: installationRef, spec, precondition });
    const checkedAt = deps.now().toISOString();
    const saved = await store.updateStatus(InstallationKind, installationRef, ({ status }) => ({
      ...status,
      findings,
      checkedAt,
    }));
    return c.json(respondInstallation(c, deps, saved), 200);
  });
}
