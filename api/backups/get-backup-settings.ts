import { createRoute } from '@hono/zod-openapi';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { respondSettings } from './backup-settings.ts';
import { BackupSettingsView } from './schemas.ts';

const route = createRoute({
  operationId: 'getBackupSettings',
  method: 'get',
  path: '/v1/backup/settings',
  tags: ['Backups'],
  summary: 'Get the settings of backups',
  description:
    'The destination is a setting of the operator. `nextTimes` shows when the schedule starts backups. Requires a platform admin.',
  ...requireRole('platform-admin'),
  responses: { 200: jsonResponse('The settings', BackupSettingsView), ...problems(401, 403) },
});

export function getBackupSettings(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => c.json(await respondSettings(c, deps), 200));
}
