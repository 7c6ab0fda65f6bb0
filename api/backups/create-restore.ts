import { randomBytes } from 'node:crypto';
import { createRoute } from '@hono/zod-openapi';
import { WorkflowExecutionAlreadyStartedError, type Workflow } from '@temporalio/common';
import { ignoreNotFound, ServiceError } from '../../src/errors.ts';
import { deriveArchiveKeys } from '../../src/integrations/backups/recovery-key.ts';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import { SecretKind, toSecretData } from '../../src/kinds/kubernetes.ts';
import { RestoreKind } from '../../src/rules/backups/kinds.ts';
import { toRestoreSecretRef } from '../../src/rules/backups/kinds.ts';
import { restoreKeyLabels } from '../../src/rules/expiry.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { restoreBackupStart } from '../../workflows/backups/messages.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { body, jsonResponse } from '../http/views.ts';
import { RestoreBody, RestoreView, toRestoreView } from './schemas.ts';

/** Longer than any restore takes; the workflow deletes the key when it ends. */
const keyTtlMs = 24 * 60 * 60_000;

const route = createRoute({
  operationId: 'createRestore',
  method: 'post',
  path: '/v1/backup/restores',
  tags: ['Backups'],
  summary: 'Check an archive before it is restored',
  description:
    'Decrypts the archive and reads it to its end, and writes nothing. When `status.phase` is `Ready`, `status.plan` says what `startRestore` would do. Fails with 409 while another restore is in progress. Requires the browser session of a platform admin who signed in with a password.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  request: { body: body(RestoreBody) },
  responses: {
    202: jsonResponse('The restore, which is being checked', RestoreView),
    ...problems(400, 401, 403, 409, 413, 415, 422),
  },
});

export function createRestore(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { store, temporal, now } = deps;
    const { backup, recoveryKey } = c.req.valid('json');
    await deriveArchiveKeys(recoveryKey);
    const name = `restore-${randomBytes(4).toString('hex')}`;
    const ref = { namespace: systemNamespace, name };
    const restore = await store.create(RestoreKind, {
      metadata: ref,
      spec: { startedBy: c.get('caller').email, backup },
    });
    const started = await store.updateStatus(RestoreKind, ref, () => ({
      phase: 'Checking' as const,
      startedAt: now().toISOString(),
    }));
    // A workflow's history must not contain the key.
    const expires = new Date(now().getTime() + keyTtlMs).toISOString();
    await store.create(SecretKind, {
      metadata: { ...toRestoreSecretRef(name), labels: restoreKeyLabels },
      data: toSecretData({ recoveryKey, expires }),
    });
    const { type, options } = restoreBackupStart({ restore: name });
    try {
      await callWorkflow(temporal, async () => await temporal.workflow.start<Workflow>(type, options));
    } catch (error) {
      // After another failure the workflow may run and needs both; without one, a sweep ends the Restore.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await store.delete(SecretKind, toRestoreSecretRef(name)).catch(ignoreNotFound);
      await store.delete(RestoreKind, restore.metadata).catch(ignoreNotFound);
      throw new ServiceError('restore-in-progress', 'Another restore is in progress. Wait until it finishes.');
    }
    return c.json(toRestoreView(started), 202);
  });
}
