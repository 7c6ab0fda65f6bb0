import { createRoute, z } from '@hono/zod-openapi';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { backupSettingsRef } from '../../src/rules/backups/kinds.ts';
import { BackupSettings, toSettingsData } from '../../src/rules/backups/settings.ts';
import { applyObject } from '../../src/store/apply-object.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { body, jsonResponse } from '../http/views.ts';
import { readSettingsView } from './backup-settings.ts';
import { BackupSettingsView } from './schemas.ts';

const route = createRoute({
  operationId: 'putBackupSettings',
  method: 'put',
  path: '/v1/backup/settings',
  tags: ['Backups'],
  summary: 'Replace the settings of backups',
  description:
    'They apply from the next backup on. Requires the browser session of a platform admin who signed in with a password.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  request: { body: body(z.strictObject(BackupSettings.shape).openapi('BackupSettingsBody')) },
  responses: {
    200: jsonResponse('The new settings', BackupSettingsView),
    ...problems(400, 401, 403, 409, 413, 415, 422),
  },
});

export function putBackupSettings(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const data = toSettingsData(c.req.valid('json'));
    await applyObject(deps.store, ConfigMapKind, { ref: backupSettingsRef, build: () => ({ data }) });
    return c.json(await readSettingsView(deps), 200);
  });
}
