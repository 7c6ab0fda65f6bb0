import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { archivesQuery, backupsQuery } from '../../../api/queries/backups.ts';
import { request } from '../../../api/request.ts';
import { every } from '../../../live/live-state.ts';
import { Button } from '../../../parts/button.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { formatBytes } from '../../../parts/format-bytes.ts';
import { useShowMore } from '../../../parts/use-show-more.tsx';
import { Empty } from '../../../parts/page.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import { Phase } from '../../../parts/state.tsx';
import table from '../../../parts/table.module.css';
import { Elapsed, Time } from '../../../parts/time.tsx';
import { announce } from '../../../shell/announcer.tsx';
import styles from './backups.module.css';
import { formatCounts } from './format-counts.ts';

type Backup = Schemas['Backup'];

const isBusy = (list: { items: Backup[] } | undefined): boolean =>
  list?.items.some(({ status }) => status.phase === 'Running') ?? false;

const shownFirst = 10;

/** The backups with their progress, and the button that starts another one. */
export function Backups({ settings }: { settings: Schemas['BackupSettings'] }) {
  const queryClient = useQueryClient();
  const { data } = useSuspenseQuery({
    ...backupsQuery,
    refetchInterval: ({ state }) => every(isBusy(state.data) ? 2_000 : 10_000)(),
  });
  const { shown, more } = useShowMore(data.items, shownFirst);
  const [newest] = data.items;
  const isRunning = isBusy(data);
  // A backup that has finished has written an archive, which the restore offers.
  useEffect(() => {
    if (!isRunning) void queryClient.invalidateQueries(archivesQuery);
  }, [queryClient, isRunning]);
  return (
    <>
      {newest?.status.failure && <Failure title="The last backup failed" failure={newest.status.failure} />}
      {data.items.length === 0 ? (
        <Empty title="No backup yet">
          <p>Start the first one, or set a schedule below.</p>
        </Empty>
      ) : (
        <BackupTable backups={shown} />
      )}
      {more}
      <BackUpNow
        why={findRefusal(settings.actions, 'createBackup') ?? findObstacle(settings.key !== undefined, isRunning)}
      />
    </>
  );
}

function findObstacle(hasKey: boolean, isRunning: boolean): string | undefined {
  if (!hasKey) return 'Create the recovery key first: archives are encrypted for it.';
  return isRunning ? 'A backup is in progress.' : undefined;
}

function BackUpNow({ why }: { why: string | undefined }) {
  const queryClient = useQueryClient();
  const start = useMutation({
    mutationFn: async () => await request('post', '/v1/backup/backups', { params: {} }),
    onSuccess: () => announce('The backup has started.'),
    onSettled: async () => await queryClient.invalidateQueries(backupsQuery),
  });
  return (
    <div className={styles['gap']}>
      <div className="row wrap">
        <Button look="primary" why={why} busy={start.isPending} onClick={() => start.mutate()}>
          Back up now
        </Button>
        {why !== undefined && <span className="dim small">{why}</span>}
      </div>
      {start.error && <ProblemNotice error={start.error} />}
    </div>
  );
}

const BackupTable = ({ backups }: { backups: readonly Backup[] }) => (
  <table className={table['tbl']}>
    <thead>
      <tr>
        <th scope="col">Backup</th>
        <th scope="col">State</th>
        <th scope="col">Content</th>
        <th scope="col">Size</th>
        <th scope="col">Duration</th>
      </tr>
    </thead>
    <tbody>
      {backups.map(({ name, startedBy, status }) => (
        <tr key={name}>
          <th scope="row">
            <code>{name}</code>
            <p className="dim small">
              <Time at={status.startedAt} /> by {startedBy}
            </p>
          </th>
          <td data-l="State">
            <Phase phase={status.phase} />
          </td>
          <td data-l="Content">{status.progress ? formatCounts(status.progress) : 'Nothing yet'}</td>
          <td data-l="Size">{status.bytes === undefined ? 'Not known' : formatBytes(status.bytes)}</td>
          <td data-l="Duration">
            <Elapsed from={status.startedAt} to={status.finishedAt} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
