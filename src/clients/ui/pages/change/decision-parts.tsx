import { Branch } from '../../parts/branch.tsx';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FileDiff, GitBranch, GitCommitHorizontal } from 'lucide-react';
import { diffSizeQuery } from '../../api/queries/file-diff.ts';
import type { Change } from '../../api/types.ts';
import { Counts } from '../../parts/counts.tsx';
import { Mark } from '../../parts/state.tsx';
import styles from '../../parts/decision.module.css';
import { formatAmount } from '../../parts/format-amount.ts';

/** The commit that is approved, and all that it changes. */
export function Approved({ change: { org, name: run, status }, head }: { change: Change; head: string | undefined }) {
  const { data } = useQuery(diffSizeQuery(org, run, head));
  // The code host may have a newer commit than the run.
  const diff = data?.head === head ? data : undefined;
  return (
    <div>
      <h3>What you approve</h3>
      <ul>
        {head !== undefined && (
          <li>
            <GitCommitHorizontal className="i" aria-hidden="true" />
            <span>
              Commit <code>{head.slice(0, 7)}</code>
            </span>
          </li>
        )}
        <li>
          <FileDiff className="i" aria-hidden="true" />
          <Link className={styles['row']} to="/$org/changes/$run/diff" params={{ org, run }}>
            {diff ? `${diff.totals.files} ${diff.totals.files === 1 ? 'file' : 'files'} ` : 'The changed files'}
            {diff && <Counts {...diff.totals} />}
          </Link>
        </li>
        {status?.branch !== undefined && (
          <li>
            <GitBranch className="i" aria-hidden="true" />
            <span>
              Into <Branch name={status.baseBranch} />
              {status.conflictRounds ? `, after ${formatAmount(status.conflictRounds, 'round')} of conflicts` : ''}
            </span>
          </li>
        )}
      </ul>
    </div>
  );
}

/** The reviews of the agents. */
export function Checked({ change: { org, name: run, status, spec } }: { change: Change }) {
  // From the skip link it is at most five Tabs to the approval, so that many reviews are not links.
  const reviews = new Set(
    spec.steps.flatMap((step) => (step.type === 'agent' && step.mode === 'report' ? step.name : [])),
  );
  const judged = (status?.steps ?? []).filter(({ name, verdict }) => verdict && reviews.has(name));
  return (
    <div>
      <h3>What was checked</h3>
      <ul>
        {judged.map(({ name, verdict }) => {
          const criteria = verdict?.criteria ?? [];
          const met = criteria.filter((one) => one.met).length;
          return (
            <li key={name}>
              <Mark state={verdict?.outcome === 'changes-requested' ? 'failed' : 'done'} />
              <span>
                {judged.length <= 2 ? (
                  <Link to="/$org/changes/$run" params={{ org, run }} search={{ step: name }} hash={name}>
                    {name}
                  </Link>
                ) : (
                  name
                )}{' '}
                {verdict?.outcome.replace('-', ' ')}
                {criteria.length > 0 && `, ${met} of ${criteria.length} criteria`}
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The steps that an approval starts. */
export function Next({ change: { progress, status } }: { change: Change }) {
  const zones = progress.filter(({ stage }) => stage === 'zone');
  const merges = progress.some(({ stage }) => stage === 'merged');
  return (
    <div>
      <h3>What happens next</h3>
      <ol className={styles['steps-next']}>
        {merges ? (
          <>
            <li>
              <span>
                Squash-merged to <Branch name={status?.baseBranch} />
              </span>
            </li>
            <li>
              <span>A Release is built and tagged</span>
            </li>
            {zones.map(({ label }) => (
              <li key={label}>
                <span>Promoted to {label}</span>
              </li>
            ))}
          </>
        ) : (
          <li>
            <span>The next step of the workflow starts</span>
          </li>
        )}
      </ol>
    </div>
  );
}
