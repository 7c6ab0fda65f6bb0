import { useMutation, useQueryClient } from '@tanstack/react-query';
import { backupSettingsQuery } from '../../../api/queries/backups.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import { OneTimeSecret } from '../../../parts/one-time-secret.tsx';
import styles from './backups.module.css';

/** Creates the key that decrypts the archives, and shows it once. */
export function RecoveryKey({ hasKey, why }: { hasKey: boolean; why: string | undefined }) {
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: async () => await request('put', '/v1/backup/key', { params: {} }),
    onSuccess: async () => await queryClient.invalidateQueries(backupSettingsQuery),
  });
  if (create.data)
    return (
      <OneTimeSecret
        title="Copy the recovery key now"
        level={3}
        text={create.data.recoveryKey}
        copy="Copy the recovery key"
        onClose={create.reset}
      >
        It is not shown again, and without it no archive can be restored. Store it outside this installation.
      </OneTimeSecret>
    );
  return (
    <>
      <p className="dim">
        {hasKey
          ? 'Archives are encrypted for the key that was shown when it was created. If it is lost, create another one: earlier archives still need the key that they were encrypted for.'
          : 'Create it before the first backup. It is shown once: store it outside this installation, because nothing else decrypts an archive.'}
      </p>
      {create.error && <ProblemNotice error={create.error} />}
      <div className={styles['gap']}>
        {hasKey && why === undefined ? (
          <Confirm
            trigger={<Button busy={create.isPending}>Replace the recovery key…</Button>}
            title="Replace the recovery key?"
            action="Replace the key"
            onConfirm={() => create.mutate()}
          >
            Backups from now on need the new key. Earlier archives still need the one that was shown before.
          </Confirm>
        ) : (
          <Button why={why} busy={create.isPending} onClick={() => create.mutate()}>
            {hasKey ? 'Replace the recovery key…' : 'Create the recovery key'}
          </Button>
        )}
      </div>
    </>
  );
}
