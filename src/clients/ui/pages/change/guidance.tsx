import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeQuery } from '../../api/queries/changes.ts';
import { request } from '../../api/request.ts';
import type { Change, Step } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { Mark } from '../../parts/state.tsx';
import { Time } from '../../parts/time.tsx';
import { announce } from '../../shell/announcer.tsx';
import styles from '../../parts/decision.module.css';

/** The question of an agent, and the answer with which it continues. */
export function Guidance({ change, step }: { change: Change; step: Step }) {
  const { org, name: run, actions } = change;
  const [text, setText] = useState('');
  const queryClient = useQueryClient();
  const guide = useMutation({
    mutationFn: async () =>
      await request('post', '/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/guide', {
        params: { org, run, step: step.name },
        body: { text },
      }),
    onSuccess: () => announce('Sent. The agent continues with your answer.'),
    onSettled: async () => await queryClient.invalidateQueries(changeQuery(org, run)),
  });
  const action = actions.find(({ name, step: of }) => name === 'guideStep' && of === step.name);
  const forbidden =
    action?.allowed === true ? undefined : (action?.message ?? 'The step no longer waits for guidance.');
  const why = guide.isSuccess ? 'Your answer was sent.' : forbidden;
  return (
    <section className={styles['decision']} id="decision" tabIndex={-1} aria-labelledby="decision-title">
      <header>
        <Mark state="waiting" large />
        <h2 id="decision-title">{step.name} asks for guidance</h2>
        {step.waitingFor && (
          <span className="push">
            Waiting for a {step.waitingFor.role} since <Time at={step.waitingFor.since} />
          </span>
        )}
      </header>
      <p className={styles['message']}>{step.waitingFor?.message ?? step.verdict?.summary}</p>
      {guide.error && (
        <div className={styles['message']}>
          <ProblemNotice error={guide.error} />
        </div>
      )}
      <footer>
        <label className="sr" htmlFor="guidance">
          Your answer
        </label>
        <textarea
          id="guidance"
          rows={3}
          placeholder="Your answer; the agent reads it next"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button
          look="primary"
          why={why ?? (text.trim() === '' ? 'Write an answer first.' : undefined)}
          busy={guide.isPending}
          onClick={() => guide.mutate()}
        >
          Answer {step.name}
        </Button>
        {why !== undefined && <p className={styles['why']}>{why}</p>}
      </footer>
    </section>
  );
}
