import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { changeQuery } from '../../api/queries/changes.ts';
import { request } from '../../api/request.ts';
import type { Change, Step } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { DecisionHead } from '../../parts/decision-head.tsx';
import field from '../../parts/field.module.css';
import { ProblemNotice } from '../../parts/problem.tsx';
import { useDecision } from '../../parts/use-decision.ts';
import { useFrozenValue } from '../../parts/use-frozen-value.ts';
import { useUnsentText } from '../../parts/use-unsent-text.ts';
import { announce } from '../../shell/announcer.tsx';
import styles from '../../parts/decision.module.css';
import { Approved, Checked, Next } from './decision-parts.tsx';
import { Reject } from './reject.tsx';
import type { ShownHeads } from './use-shown-heads.ts';

type Verb = 'approve' | 'reject';

/** The decision about one commit: the commit, what was checked, and what follows from it. Once made, it shows who made it. */
export function Decision({ change: current, step, heads }: { change: Change; step: Step; heads: ShownHeads }) {
  const isWaiting = step.phase === 'Waiting';
  const change = useFrozenValue(current, isWaiting);
  const { org, name: run, status } = change;
  const [note, setNote] = useUnsentText(`${org}/${run}/${step.name}`);
  const [reason, setReason] = useUnsentText(`reason of ${org}/${run}/${step.name}`);
  const shownHead = heads.find(step.name);
  const queryClient = useQueryClient();
  const head = status?.pullRequest?.headSha;
  const hasMoved = shownHead !== undefined && head !== shownHead;
  const decide = useMutation({
    mutationFn: async ({ verb, note: text }: { verb: Verb; note: string; since: string | undefined }) =>
      await request('post', `/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/${verb}`, {
        params: { org, run, step: step.name },
        body: { ...(text !== '' && { note: text }), ...(shownHead !== undefined && { headSha: shownHead }) },
      }),
    onSuccess: async () => {
      setNote('');
      setReason('');
      await queryClient.invalidateQueries({ queryKey: ['waiting'] });
    },
    onError: ({ message }) => announce(message),
    // Another person may have decided in the meantime.
    onSettled: async () => await queryClient.invalidateQueries(changeQuery(org, run)),
  });
  const since = step.waitingFor?.since;
  const { decision, toWhy, line } = useDecision('approveStep', {
    isWaiting,
    since,
    made: step.decision,
    sending: decide,
    findAction: (operation) => current.actions.find((one) => one.name === operation && one.step === step.name),
    words: { sent: 'Your decision was sent.', over: 'The step no longer waits for a decision.' },
    obstacle: hasMoved
      ? `The pull request has a new head commit, ${head?.slice(0, 7)}, which you have not seen here.`
      : undefined,
  });
  const titleId = `decision-${step.name}`;
  const noteId = isWaiting ? 'note' : `note-${step.name}`;
  const card = useRef<HTMLElement>(null);
  const review = (): void => {
    heads.review(step.name);
    decide.reset();
    // The button that has the focus disappears.
    card.current?.focus();
  };
  return (
    <section
      ref={card}
      className={styles['decision']}
      id={isWaiting ? 'decision' : undefined}
      tabIndex={-1}
      aria-labelledby={titleId}
    >
      <DecisionHead
        id={titleId}
        title="Approve this Change?"
        what={step.name}
        waitingFor={isWaiting ? step.waitingFor : undefined}
        decision={decision}
      />
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
        <label className="sr" htmlFor={noteId}>
          Note for the record
        </label>
        <input
          className={field['input']}
          id={noteId}
          maxLength={2000}
          readOnly={!isWaiting}
          placeholder="Note for the record, optional"
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
        <Button
          look="primary"
          why={toWhy('approveStep')}
          busy={decide.isPending}
          onClick={() => decide.mutate({ verb: 'approve', note, since })}
        >
          Approve {shownHead !== undefined && <code>{shownHead.slice(0, 7)}</code>}
        </Button>
        <Reject
          why={toWhy('rejectStep')}
          busy={decide.isPending}
          note={note}
          reason={reason}
          onType={setReason}
          onReject={(text) => decide.mutate({ verb: 'reject', note: text, since })}
        />
        {hasMoved && isWaiting && <Button onClick={review}>Review {head?.slice(0, 7)}</Button>}
        {line !== undefined && <p className={styles['why']}>{line}</p>}
      </footer>
    </section>
  );
}
