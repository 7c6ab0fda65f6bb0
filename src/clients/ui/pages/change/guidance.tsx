import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { Archive, FileDiff, RotateCw } from 'lucide-react';
import { changeQuery } from '../../api/queries/changes.ts';
import { diffSizeQuery } from '../../api/queries/diff.ts';
import { request } from '../../api/request.ts';
import type { Change, Step } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { Counts } from '../../parts/counts.tsx';
import { DecisionHead } from '../../parts/decision-head.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { useFocusAfter } from '../../parts/use-focus-after.ts';
import { useTyped } from '../../parts/use-typed.ts';
import { announce } from '../../shell/announcer.tsx';
import { formatCost } from './format-usage.ts';
import { Retry } from './retry.tsx';
import styles from '../../parts/decision.module.css';
import own from './guidance.module.css';

/** The question of an agent, and the answer with which it continues. */
export function Guidance({ change, step }: { change: Change; step: Step }) {
  const { org, name: run, actions } = change;
  const [text, setText] = useTyped(`${org}/${run}/${step.name}`);
  const queryClient = useQueryClient();
  const guide = useMutation({
    mutationFn: async () =>
      await request('post', '/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/guide', {
        params: { org, run, step: step.name },
        body: { text },
      }),
    onSuccess: () => {
      setText('');
      announce('Sent. The agent continues with your answer.');
    },
    onError: ({ message }) => announce(message),
    onSettled: async () => await queryClient.invalidateQueries(changeQuery(org, run)),
  });
  const action = actions.find(({ name, step: of }) => name === 'guideStep' && of === step.name);
  const forbidden =
    action?.allowed === true ? undefined : (action?.message ?? 'The step no longer waits for guidance.');
  const card = useRef<HTMLElement>(null);
  useFocusAfter(card);
  const why = guide.isSuccess ? 'Your answer was sent.' : forbidden;
  return (
    <section ref={card} className={styles['decision']} id="decision" tabIndex={-1} aria-labelledby="decision-title">
      <DecisionHead
        id="decision-title"
        title={`${step.name} asks for guidance`}
        what={step.name}
        waitingFor={step.waitingFor}
      />
      <div className={styles['parts']} style={{ gridTemplateColumns: 'minmax(0, 2fr) minmax(0, 1fr)' }}>
        <div>
          <h3>What it asks</h3>
          <p className={own['question']}>{step.waitingFor?.message ?? step.verdict?.summary}</p>
        </div>
        <WhereItStands change={change} step={step} />
      </div>
      {guide.error && (
        <div className={styles['message']}>
          <ProblemNotice error={guide.error} />
        </div>
      )}
      <footer className={own['foot']} style={{ alignItems: 'flex-end' }}>
        <div>
          <label htmlFor="guidance">Your guidance</label>
          <textarea id="guidance" rows={2} value={text} onChange={(event) => setText(event.target.value)} />
        </div>
        <Button
          look="primary"
          why={why ?? (text.trim() === '' ? 'Write an answer first.' : undefined)}
          busy={guide.isPending}
          onClick={() => guide.mutate()}
        >
          Send guidance
        </Button>
        <Retry change={change} step={step} label="Retry without" />
        {why !== undefined && <p className={styles['why']}>{why}</p>}
      </footer>
    </section>
  );
}

function WhereItStands({ change: { org, name: run, status, spec }, step }: { change: Change; step: Step }) {
  const { data: diff } = useQuery(diffSizeQuery(org, run, status?.pullRequest?.headSha));
  const planned = spec.steps.find(({ name }) => name === step.name);
  const limit = planned?.type === 'agent' ? spec.roles[planned.role]?.limits?.turns : undefined;
  return (
    <div>
      <h3>Where it stands</h3>
      <ul>
        <li>
          <FileDiff className="i" aria-hidden="true" />
          <span>
            <Link to="/$org/changes/$run/diff" params={{ org, run }}>
              {diff ? `${diff.totals.files} ${diff.totals.files === 1 ? 'file' : 'files'}` : 'The changed files'}
            </Link>{' '}
            {diff && <Counts {...diff.totals} />}
          </span>
        </li>
        {step.turns !== undefined && (
          <li>
            <RotateCw className="i" aria-hidden="true" />
            <span>
              Turn {step.turns}
              {limit !== undefined && ` of ${limit}`}
              {step.usage && `, ${formatCost(step.usage)}`}
            </span>
          </li>
        )}
        <li>
          <Archive className="i" aria-hidden="true" />
          <span>Nothing is lost while it waits</span>
        </li>
      </ul>
    </div>
  );
}
