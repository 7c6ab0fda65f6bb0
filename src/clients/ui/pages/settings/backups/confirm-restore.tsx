import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { restoresQuery } from '../../../api/queries/backups.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { announce } from '../../../shell/announcer.tsx';
import styles from './backups.module.css';

const word = 'restore';

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
  const [typed, setTyped] = useState('');
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
  const isTyped = typed === word;
  return (
    <div className={styles['gap']}>
      <Form
        label="Start the restore"
        error={start.error}
        why={why}
        onSubmit={() => !isTyped || start.isPending || start.isSuccess || start.mutate()}
        foot={
          <Button
            look="danger"
            type="submit"
            busy={start.isPending || start.isSuccess}
            why={why ?? (isTyped ? undefined : `Type ${word} first.`)}
          >
            Start the restore
          </Button>
        }
      >
        <TextField
          label={`Type ${word} to confirm`}
          hint="Without a confirmation within an hour, nothing is written and the recovery key is deleted."
          pointer="/digest"
          value={typed}
          spellCheck={false}
          onChange={setTyped}
        />
      </Form>
    </div>
  );
}
