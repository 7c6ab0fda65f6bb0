import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FileDiff, GitBranch, GitCommitHorizontal, GitPullRequest } from 'lucide-react';
import { useState } from 'react';
import { changeQuery } from '../../api/queries/changes.ts';
import { diffSizeQuery } from '../../api/queries/diff.ts';
import { request } from '../../api/request.ts';
import type { Change, Step } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { Counts } from '../../parts/counts.tsx';
import field from '../../parts/field.module.css';
import { ProblemNotice } from '../../parts/problem.tsx';
import { Mark } from '../../parts/state.tsx';
import { Time } from '../../parts/time.tsx';
import { announce } from '../../shell/announcer.tsx';
import styles from '../../parts/decision.module.css';

type Verb = 'approve' | 'reject';

/** The decision about one commit: the commit, what was checked, and what follows from it. */
export function Decision({ change, step }: { change: Change; step: Step }) {
  const { org, name: run, status } = change;
  const [note, setNote] = useState('');
  const [shownHead, showHead] = useState(status?.pullRequest?.headSha);
  const queryClient = useQueryClient();
  const head = status?.pullRequest?.headSha;
  const hasMoved = shownHead !== undefined && head !== shownHead;
  const decide = useMutation({
    mutationFn: async (verb: Verb) =>
      await request('post', `/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/${verb}`, {
        params: { org, run, step: step.name },
        body: { ...(note !== '' && { note }), ...(shownHead !== undefined && { headSha: shownHead }) },
      }),
    onSuccess: async (_, verb) => {
      announce(verb === 'approve' ? 'Approved. The service continues with the Change.' : 'Rejected.');
      await queryClient.invalidateQueries({ queryKey: ['waiting'] });
    },
    // Another person may have decided in the meantime.
    onSettled: async () => await queryClient.invalidateQueries(changeQuery(org, run)),
  });
  const toWhy = (name: string): string | undefined => {
    const action = change.actions.find((one) => one.name === name && one.step === step.name);
    if (hasMoved) return `The pull request has a new head commit, ${head?.slice(0, 7)}, which you have not seen here.`;
    if (decide.isSuccess) return 'Your decision was sent.';
    return action?.allowed === true ? undefined : (action?.message ?? 'The step no longer waits for a decision.');
  };
  const why = toWhy('approveStep');
  return (
    <section className={styles['decision']} id="decision" tabIndex={-1} aria-labelledby="decision-title">
      <header>
        <Mark state="waiting" large />
        <h2 id="decision-title">Approve this Change?</h2>
        {step.waitingFor && (
          <span className="push">
            Waiting for a {step.waitingFor.role} since <Time at={step.waitingFor.since} />
          </span>
        )}
      </header>
      <div className={styles['parts']}>
        <Approved change={change} />
        <Checked change={change} />
        <Next change={change} />
      </div>
      {decide.error && (
        <div className={styles['message']}>
          <ProblemNotice error={decide.error} />
        </div>
      )}
      <footer>
        <label className="sr" htmlFor="note">
          Note for the record
        </label>
        <input
          className={field['input']}
          id="note"
          maxLength={2000}
          placeholder="Note for the record, optional"
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
        <Button look="primary" why={why} busy={decide.isPending} onClick={() => decide.mutate('approve')}>
          Approve {shownHead !== undefined && <code>{shownHead.slice(0, 7)}</code>}
        </Button>
        <Button look="danger" why={toWhy('rejectStep')} busy={decide.isPending} onClick={() => decide.mutate('reject')}>
          Reject
        </Button>
        {hasMoved && <Button onClick={() => showHead(head)}>Review {head?.slice(0, 7)}</Button>}
        {why !== undefined && <p className={styles['why']}>{why}</p>}
      </footer>
    </section>
  );
}

function Approved({ change: { org, name: run, status } }: { change: Change }) {
  const pull = status?.pullRequest;
  const { data: diff } = useQuery(diffSizeQuery(org, run, pull?.headSha));
  return (
    <div>
      <h3>What you approve</h3>
      <ul>
        {pull && (
          <li>
            <GitCommitHorizontal className="i" aria-hidden="true" />
            <span>
              Commit <code>{pull.headSha.slice(0, 7)}</code>
            </span>
          </li>
        )}
        <li>
          <FileDiff className="i" aria-hidden="true" />
          <span>
            <Link to="/$org/changes/$run/diff" params={{ org, run }}>
              {diff ? `${diff.totals.files} ${diff.totals.files === 1 ? 'file' : 'files'}` : 'The changed files'}
            </Link>{' '}
            {diff && <Counts {...diff.totals} />}
          </span>
        </li>
        {pull && (
          <li>
            <GitPullRequest className="i" aria-hidden="true" />
            <a href={pull.url} rel="noreferrer">
              Pull request #{pull.number}
            </a>
          </li>
        )}
        {status?.branch !== undefined && (
          <li>
            <GitBranch className="i" aria-hidden="true" />
            <span>
              Into <code>{status.baseBranch ?? 'the default branch'}</code>
              {status.conflictRounds ? `, after ${status.conflictRounds} rounds of conflicts` : ''}
            </span>
          </li>
        )}
      </ul>
    </div>
  );
}

function Checked({ change: { status } }: { change: Change }) {
  const judged = (status?.steps ?? []).filter(({ verdict }) => verdict);
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
                <a href={`#${name}`}>{name}</a> {verdict?.outcome}
                {criteria.length > 0 && `, ${met} of ${criteria.length} criteria`}
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Next({ change: { progress, status } }: { change: Change }) {
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
                Squash-merged to <code>{status?.baseBranch ?? 'the default branch'}</code>
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
