import { randomBytes } from 'node:crypto';
import { createRoute } from '@hono/zod-openapi';
import { WorkflowExecutionAlreadyStartedError, type Workflow } from '@temporalio/common';
import { ignoreNotFound, ServiceError } from '../../src/errors.ts';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import { BackupKind } from '../../src/rules/backups/kinds.ts';
import { toBackupName } from '../../src/rules/backups/to-backup-name.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { backUpStart } from '../../workflows/backups/messages.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { findBackupKey } from './backup-settings.ts';
import { BackupView, toBackupView } from './schemas.ts';

const route = createRoute({
  operationId: 'createBackup',
  method: 'post',
  path: '/v1/backup/backups',
  tags: ['Backups'],
  summary: 'Start a backup',
  description:
    'Writes one encrypted archive to the destination. Work continues during the backup; the archive shows the resources of one moment. Fails with 409 while another backup is in progress, or without a recovery key. Requires the browser session of a platform admin who signed in with a password.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  responses: { 202: jsonResponse('The backup', BackupView), ...problems(401, 403, 409) },
});

export function createBackup(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { store, temporal, now } = deps;
    if ((await findBackupKey(deps)) === undefined)
      throw new ServiceError(
        'backup-key-missing',
        'Backups are encrypted, and there is no recovery key. Create it first.',
      );
    const name = toBackupName(now(), randomBytes(4).toString('hex'));
    const startedBy = c.get('caller').email;
    const backup = await store.create(BackupKind, {
      metadata: { namespace: systemNamespace, name },
      spec: { startedBy },
    });
    const { type, options } = backUpStart({ backup: name, startedBy });
    try {
      await callWorkflow(temporal, async () => await temporal.workflow.start<Workflow>(type, options));
    } catch (error) {
      // After another failure the workflow may run and needs the Backup; without one, a sweep ends the Backup.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await store.delete(BackupKind, backup.metadata).catch(ignoreNotFound);
      throw new ServiceError('backup-in-progress', 'Another backup is in progress. Wait until it finishes.');
    }
    return c.json(toBackupView(backup), 202);
  });
}
