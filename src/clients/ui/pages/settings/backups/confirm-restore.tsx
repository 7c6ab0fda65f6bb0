import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { restoresQuery } from '../../../api/queries/backups.ts';
import { request } from '../../../api/request.ts';
import { TypedConfirmation } from '../../../parts/typed-confirmation.tsx';
import { announce } from '../../../shell/announcer.tsx';
import styles from './backups.module.css';

/** Starts the restore of exactly the plan that the person sees, after a typed word. */
export function ConfirmRestore({
  restore,
  digest,
  why,
}: {
  restore: Schemas['Restore'];
  digest: string;
  why: string | undefined;
}) {
  const queryClient = useQueryClient();
  const start = useMutation({
    mutationFn: async () =>
      await request('post', '/v1/backup/restores/{restore}/start', {
        params: { restore: restore.name },
        body: { digest },
      }),
    onSuccess: () => announce('The restore has started.'),
    onSettled: async () => await queryClient.invalidateQueries(restoresQuery),
  });
  return (
    <div className={styles['gap']}>
      <TypedConfirmation
        label="Start the restore"
        action="Start the restore"
        word="restore"
        request="Type restore first."
        hint="Without a confirmation within an hour, nothing is written and the recovery key is deleted."
        pointer="/digest"
        why={why}
        error={start.error}
        busy={start.isPending || start.isSuccess}
        onConfirm={() => start.mutate()}
      />
    </div>
  );
}
