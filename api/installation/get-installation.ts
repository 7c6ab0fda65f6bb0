import { createRoute } from '@hono/zod-openapi';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { findInstallation, respondInstallation } from './installation-settings.ts';
import { InstallationSettingsView } from './schemas.ts';

const route = createRoute({
  operationId: 'getInstallation',
  method: 'get',
  path: '/v1/installation',
  tags: ['Installation'],
  summary: 'Get the settings of the installation',
  description:
    'Returns the platform domain, the managed domain roots and the ways to sign in, with the findings of the last check. `environment` lists the variables that the settings have replaced. Requires a platform admin.',
  ...requireRole('platform-admin'),
  responses: { 200: jsonResponse('The settings', InstallationSettingsView), ...problems(401, 403) },
});

export function getInstallation(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => c.json(respondInstallation(c, deps, await findInstallation(deps)), 200));
}
