import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { backupSettingsQuery } from '../../../api/queries/backups.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { CopyButton } from '../../../parts/copy.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import styles from './backups.module.css';

/** Creates the key that decrypts the archives, and shows it once. */
export function RecoveryKey({ hasKey, why }: { hasKey: boolean; why: string | undefined }) {
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: async () => await request('put', '/v1/backup/key', { params: {} }),
    onSuccess: async () => await queryClient.invalidateQueries(backupSettingsQuery),
  });
  if (create.data) return <Secret recoveryKey={create.data.recoveryKey} onClose={create.reset} />;
  return (
    <>
      <p className="dim">
        {hasKey
          ? 'Archives are encrypted for the key that was shown when it was created. If it is lost, create another one: earlier archives need the key of their time.'
          : 'Create it before the first backup. It is shown once: keep it outside this installation, because nothing else decrypts an archive.'}
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

/** The key, which no later request returns. */
function Secret({ recoveryKey, onClose }: { recoveryKey: string; onClose: () => void }) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.focus(), []);
  return (
    <section className={styles['secret']} aria-labelledby="secret" ref={section} tabIndex={-1}>
      <h3 id="secret">Copy the recovery key now</h3>
      <p className="dim">It is not shown again, and without it no archive can be restored. Keep it outside.</p>
      <code className={styles['text']}>{recoveryKey}</code>
      <div className="row">
        <CopyButton text={recoveryKey} label="Copy the recovery key" />
        <Button small look="plain" onClick={onClose}>
          I have it
        </Button>
      </div>
    </section>
  );
}
