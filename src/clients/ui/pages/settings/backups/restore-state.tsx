import type { Schemas } from '../../../api/generated/openapi.ts';
import { Failure } from '../../../parts/failure.tsx';
import { formatAmount } from '../../../parts/format-amount.ts';
import page from '../../../parts/page.module.css';
import { Details } from '../../../parts/page.tsx';
import type { State } from '../../../parts/phase-state.ts';
import { Mark } from '../../../parts/state.tsx';
import { Elapsed, Time } from '../../../parts/time.tsx';
import { ConfirmRestore } from './confirm-restore.tsx';
import { formatCounts } from './format-counts.ts';

type Restore = Schemas['Restore'];

const phases: Record<Restore['status']['phase'], [state: State, words: string]> = {
  Checking: ['working', 'The archive is being decrypted and checked. Nothing is written.'],
  Ready: ['waiting', 'The archive is complete. This is what a restore would do.'],
  Restoring: ['working', 'Resources are being restored. Other changes are rejected until the restore has finished.'],
  Restarting: ['working', 'Open work is being continued. Other changes are rejected until the restore has finished.'],
  Succeeded: ['done', 'Restored.'],
  Failed: ['failed', 'The restore has failed.'],
};

/** A restore with its plan and its progress; one that waits for a person asks for their confirmation. */
export function RestoreState({ restore, why }: { restore: Restore; why: string | undefined }) {
  const { backup, startedBy, status } = restore;
  const { phase, plan, progress, restarted, failure, conflicts, startedAt, finishedAt } = status;
  const [state, words] = phases[phase];
  return (
    <>
      <div className={page['notice']} data-state={state} role="status">
        <Mark state={state} />
        <p>{words}</p>
      </div>
      <Details
        items={[
          ['Archive', <code key="archive">{backup}</code>],
          [
            'Started',
            <span key="started">
              <Time at={startedAt} /> by {startedBy}, took <Elapsed from={startedAt} to={finishedAt} />
            </span>,
          ],
          plan && ['State of', <Time key="of" at={plan.createdAt} />],
          plan && ['Version', <code key="version">{plan.version}</code>],
          plan && ['Orgs', plan.orgs.length === 0 ? 'None' : plan.orgs.join(', ')],
          plan && ['Content', formatCounts(plan.contents)],
          plan && ['Exists already', `${plan.existing.toLocaleString('en')}, which stay as they are`],
          progress && ['Restored', formatCounts(progress)],
          restarted !== undefined && ['Continued work', formatAmount(restarted, 'workflow')],
        ]}
      />
      {failure && (
        <Failure title="The restore failed" failure={failure}>
          {conflicts && (
            <ul>
              {conflicts.map((name) => (
                <li key={name}>
                  <code>{name}</code>
                </li>
              ))}
            </ul>
          )}
        </Failure>
      )}
      {phase === 'Ready' && plan && <ConfirmRestore restore={restore} digest={plan.digest} why={why} />}
    </>
  );
}
