import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { archivesQuery, restoresQuery } from '../../../api/queries/backups.ts';
import { request } from '../../../api/request.ts';
import { every } from '../../../live/live-state.ts';
import { Button } from '../../../parts/button.tsx';
import { clearSent } from '../../../parts/clear-sent.ts';
import { ChoiceField, TextField } from '../../../parts/form-fields.tsx';
import { Form } from '../../../parts/form.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import { RestoreState } from './restore-state.tsx';
import styles from './backups.module.css';

const findOpen = (list: { items: Schemas['Restore'][] } | undefined): Schemas['Restore'] | undefined =>
  list?.items.find(({ status: { phase } }) => phase !== 'Succeeded' && phase !== 'Failed');

/** The last restore, and the check of an archive, which begins another one. */
export function Restores({ why }: { why: string | undefined }) {
  const { data } = useSuspenseQuery({
    ...restoresQuery,
    refetchInterval: ({ state }) => every(findOpen(state.data) ? 2_000 : 10_000)(),
  });
  const [last] = data.items;
  return (
    <>
      {last && <RestoreState key={last.name} restore={last} why={why} />}
      {!findOpen(data) && (
        <div className={styles['gap']}>
          <CheckArchive why={why} />
        </div>
      )}
    </>
  );
}

/** Sends the recovery key, which the page forgets at once. */
function CheckArchive({ why }: { why: string | undefined }) {
  const queryClient = useQueryClient();
  // The destination may be away while the rest of the page is not.
  const { data: archives, error } = useQuery(archivesQuery);
  const [chosen, setChosen] = useState<string>();
  const [recoveryKey, setRecoveryKey] = useState('');
  const backup = chosen ?? archives?.items[0]?.name;
  const check = useMutation({
    mutationFn: async (key: string) =>
      await request('post', '/v1/backup/restores', {
        params: {},
        body: { backup: backup ?? '', recoveryKey: key.trim() },
      }),
    onSuccess: async (_, key) => {
      setRecoveryKey(clearSent(key, ''));
      await queryClient.invalidateQueries(restoresQuery);
    },
  });
  const blocked = backup === undefined ? toObstacle(archives !== undefined) : undefined;
  if (error) return <ProblemNotice error={error} />;
  return (
    <Form
      label="Check an archive"
      error={check.error}
      why={why ?? blocked}
      onSubmit={() => check.isPending || check.mutate(recoveryKey)}
      foot={
        <Button look="primary" type="submit" why={why ?? blocked} busy={check.isPending}>
          Check the archive
        </Button>
      }
    >
      <ChoiceField
        label="Archive"
        hint="All archives in the destination, also those of other installations."
        pointer="/backup"
        value={backup ?? ''}
        options={archives?.items.map(({ name }) => [name, name]) ?? []}
        onChange={setChosen}
      />
      <TextField
        label="Recovery key"
        hint="The line that was shown when the key of the archive was created. It is deleted when the restore ends."
        pointer="/recoveryKey"
        type="password"
        autoComplete="off"
        mono
        required
        value={recoveryKey}
        onChange={setRecoveryKey}
      />
    </Form>
  );
}

const toObstacle = (areListed: boolean): string =>
  areListed ? 'The destination contains no archive.' : 'The archives are still being listed.';
