import { createRoute, z } from '@hono/zod-openapi';
import { ServiceError } from '../../src/errors.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { applyBackupSchedule } from '../../src/reconcile/apply-backup-schedule.ts';
import { backupSettingsRef } from '../../src/rules/backups/kinds.ts';
import { BackupSettings, toSettingsData } from '../../src/rules/backups/settings.ts';
import { applyObject } from '../../src/store/apply-object.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { acceptsPreconditions, assertCurrent, readPrecondition } from '../http/preconditions.ts';
import { problems } from '../http/problem.ts';
import { body, jsonResponse } from '../http/views.ts';
import { findBackupKey, respondSettings } from './backup-settings.ts';
import { BackupSettingsView } from './schemas.ts';

const route = createRoute({
  operationId: 'putBackupSettings',
  method: 'put',
  path: '/v1/backup/settings',
  tags: ['Backups'],
  summary: 'Replace the settings of backups',
  description:
    'The settings apply from the next backup. `schedule` starts backups at its times, except while another backup is in progress; `paused` stops that, and settings without `schedule` remove it. Fails with 409 if backups are scheduled without a recovery key, and with 412 if the settings changed since they were read (`If-Match`). Requires the browser session of a platform admin who signed in with a password.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  ...acceptsPreconditions,
  request: { body: body(z.strictObject(BackupSettings.shape).openapi('BackupSettingsBody')) },
  responses: {
    200: jsonResponse('The new settings', BackupSettingsView),
    ...problems(400, 401, 403, 409, 413, 415, 422),
  },
});

export function putBackupSettings(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const settings = c.req.valid('json');
    const precondition = readPrecondition(c);
    if (settings.schedule && (await findBackupKey(deps)) === undefined)
      throw new ServiceError(
        'backup-key-missing',
        'Backups are encrypted, and there is no recovery key. Create it before you schedule backups.',
      );
    const now = deps.now();
    await applyObject(deps.store, ConfigMapKind, {
      ref: backupSettingsRef,
      build: (stored) => {
        assertCurrent(stored, precondition);
        return { data: toSettingsData(settings, { stored, now }) };
      },
    });
    await applyBackupSchedule(deps);
    return c.json(await respondSettings(c, deps), 200);
  });
}
