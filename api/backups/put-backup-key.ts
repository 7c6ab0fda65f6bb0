import { createRoute, z } from '@hono/zod-openapi';
import { createRecoveryKey, deriveArchiveKeys } from '../../src/integrations/backups/recovery-key.ts';
import { SecretKind, toSecretData } from '../../src/kinds/kubernetes.ts';
import { backupKeySecret } from '../../src/rules/backups/kinds.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';

const RecoveryKeyView = z
  .object({
    recoveryKey: z
      .string()
      .describe(
        'The key that decrypts backups. It is shown only once and kept nowhere: store it outside the installation.',
      ),
    key: z.string().describe('Public part of the key, which backups show.'),
  })
  .openapi('RecoveryKey');

const route = createRoute({
  operationId: 'putBackupKey',
  method: 'put',
  path: '/v1/backup/key',
  tags: ['Backups'],
  summary: 'Create the recovery key of backups',
  description:
    'Later backups are encrypted for the new key. Earlier ones still need the key that they were encrypted for. Requires the browser session of a platform admin who signed in with a password.',
  ...requireRole('platform-admin', { credential: 'password-session' }),
  responses: { 200: jsonResponse('The new recovery key', RecoveryKeyView), ...problems(401, 403, 409) },
});

export function putBackupKey(app: App, { store }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const recoveryKey = await createRecoveryKey();
    const { recipient, seal } = await deriveArchiveKeys(recoveryKey);
    const data = toSecretData({ recipient, seal: Buffer.from(seal).toString('base64') });
    await store.put(SecretKind, { metadata: backupKeySecret, type: 'Opaque', data });
    c.header('Cache-Control', 'no-store');
    return c.json({ recoveryKey, key: recipient }, 200);
  });
}
