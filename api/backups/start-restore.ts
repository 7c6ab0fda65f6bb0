import { createRoute, z } from '@hono/zod-openapi';
import { notFound, ServiceError } from '../../src/errors.ts';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import { RestoreKind } from '../../src/rules/backups/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { restoreBackupId, restoreConfirmedSignal } from '../../workflows/backups/messages.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { body, jsonResponse } from '../http/views.ts';
import { RestoreParams, RestoreView, toRestoreView } from './schemas.ts';

const route = createRoute({
  operationId: 'startRestore',
  method: 'post',
  path: '/v1/backup/restores/{restore}/start',
  tags: ['Backups'],
  summary: 'Start a restore that was checked',
  description:
    'Writes what the archive contains and the installation lacks, then continues the work that was open. Other changes fail with 409 until it finishes. Fails with 409 unless the restore is `Ready` and `digest` matches its plan. Requires the browser session of a platform admin who signed in with a password.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  request: {
    params: RestoreParams,
    body: body(z.strictObject({ digest: z.string().max(100).describe('`status.plan.digest` of the restore.') })),
  },
  responses: {
    202: jsonResponse('The restore', RestoreView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422),
  },
});

export function startRestore(app: App, { store, temporal, now }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { restore: name } = c.req.valid('param');
    const { digest } = c.req.valid('json');
    const ref = { namespace: systemNamespace, name };
    if (!(await store.find(RestoreKind, ref))) throw notFound('restore', name, 'the installation');
    const confirmed = { by: c.get('caller').email, digest, at: now().toISOString() };
    const restore = await store.updateStatus(RestoreKind, ref, ({ status }) => {
      if (status?.phase === 'Ready' && status.plan?.digest === digest) return { ...status, confirmed };
      throw new ServiceError(
        'restore-not-ready',
        status?.phase === 'Ready'
          ? 'The digest does not match the plan. Read the restore again, and send `status.plan.digest`.'
          : `The restore is not ready to start: its phase is ${status?.phase ?? 'Checking'}.`,
      );
    });
    await callWorkflow(temporal, async () =>
      temporal.workflow.getHandle(restoreBackupId).signal(restoreConfirmedSignal),
    );
    return c.json(toRestoreView(restore), 202);
  });
}
