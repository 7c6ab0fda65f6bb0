import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { changeQuery } from '../../api/queries/changes.ts';
import { request } from '../../api/request.ts';
import type { Change, Step } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import field from '../../parts/field.module.css';
import { ProblemNotice } from '../../parts/problem.tsx';
import { Mark } from '../../parts/state.tsx';
import { Time } from '../../parts/time.tsx';
import { useTyped } from '../../parts/use-typed.ts';
import { announce } from '../../shell/announcer.tsx';
import styles from '../../parts/decision.module.css';
import { Approved, Checked, Next } from './decision-parts.tsx';
import { Reject } from './reject.tsx';

type Verb = 'approve' | 'reject';

/** The decision about one commit: the commit, what was checked, and what follows from it. */
export function Decision({ change, step }: { change: Change; step: Step }) {
  const { org, name: run, status } = change;
  const [note, setNote] = useTyped(`${org}/${run}/${step.name}`);
  const [shownHead, showHead] = useState(status?.pullRequest?.headSha);
  const queryClient = useQueryClient();
  const head = status?.pullRequest?.headSha;
  const hasMoved = shownHead !== undefined && head !== shownHead;
  const decide = useMutation({
    mutationFn: async ({ verb, note: text }: { verb: Verb; note: string }) =>
      await request('post', `/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/${verb}`, {
        params: { org, run, step: step.name },
        body: { ...(text !== '' && { note: text }), ...(shownHead !== undefined && { headSha: shownHead }) },
      }),
    onSuccess: async () => {
      setNote('');
      await queryClient.invalidateQueries({ queryKey: ['waiting'] });
    },
    onError: ({ message }) => announce(message),
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
  const card = useRef<HTMLElement>(null);
  const review = (): void => {
    showHead(head);
    decide.reset();
    // The button that has the focus disappears.
    card.current?.focus();
  };
  return (
    <section ref={card} className={styles['decision']} id="decision" tabIndex={-1} aria-labelledby="decision-title">
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
        <Approved change={change} head={shownHead} />
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
        <Button
          look="primary"
          why={why}
          busy={decide.isPending}
          onClick={() => decide.mutate({ verb: 'approve', note })}
        >
          Approve {shownHead !== undefined && <code>{shownHead.slice(0, 7)}</code>}
        </Button>
        <Reject
          why={toWhy('rejectStep')}
          busy={decide.isPending}
          note={note}
          onReject={(reason) => decide.mutate({ verb: 'reject', note: reason })}
        />
        {hasMoved && <Button onClick={review}>Review {head?.slice(0, 7)}</Button>}
        {why !== undefined && <p className={styles['why']}>{why}</p>}
      </footer>
    </section>
  );
}
