import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Archive, FileDiff, RotateCw } from 'lucide-react';
import { changeQuery } from '../../api/queries/changes.ts';
import { diffSizeQuery } from '../../api/queries/file-diff.ts';
import { request } from '../../api/request.ts';
import type { Change, Step } from '../../api/types.ts';
import { Button } from '../../parts/button.tsx';
import { Counts } from '../../parts/counts.tsx';
import { DecisionHead } from '../../parts/decision-head.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { useDecision } from '../../parts/use-decision.ts';
import { useFrozenValue } from '../../parts/use-frozen-value.ts';
import { useUnsentText } from '../../parts/use-unsent-text.ts';
import { announce } from '../../shell/announcer.tsx';
import { formatCost } from './format-usage.ts';
import { Retry } from './retry.tsx';
import styles from '../../parts/decision.module.css';
import own from './guidance.module.css';

/** The question of an agent, and the answer with which it continues. Once answered, it shows who answered. */
export function Guidance({ change: current, step: currentStep }: { change: Change; step: Step }) {
  const isWaiting = currentStep.phase === 'NeedsGuidance';
  const [change, step] = [useFrozenValue(current, isWaiting), useFrozenValue(currentStep, isWaiting)];
  const { org, name: run } = change;
  const [text, setText, , clearText] = useUnsentText(`${org}/${run}/${step.name}`);
  const queryClient = useQueryClient();
  const guide = useMutation({
    mutationFn: async ({ text: answer }: { text: string; since: string | undefined }) =>
      await request('post', '/v1/orgs/{org}/agentworkflowruns/{run}/steps/{step}/guide', {
        params: { org, run, step: step.name },
        body: { text: answer },
      }),
    onSuccess: (_, { text: sent }) => clearText(sent),
    onError: ({ message }) => announce(message),
    onSettled: async () => await queryClient.invalidateQueries(changeQuery(org, run)),
  });
  const since = currentStep.waitingFor?.since;
  const { decision, toWhy, line } = useDecision('guideStep', {
    isWaiting,
    since,
    made: currentStep.guidance,
    sending: guide,
    findAction: (operation) => current.actions.find((one) => one.name === operation && one.step === step.name),
    words: { sent: 'Your answer was sent.', over: 'The step no longer waits for guidance.' },
  });
  const [titleId, fieldId] = [`decision-${step.name}`, `guidance-${step.name}`];
  return (
    <section
      className={styles['decision']}
      id={isWaiting ? 'decision' : undefined}
      tabIndex={-1}
      aria-labelledby={titleId}
    >
      <DecisionHead
        id={titleId}
        title={`${step.name} asks for guidance`}
        what={step.name}
        waitingFor={isWaiting ? step.waitingFor : undefined}
        decision={decision}
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
          <label htmlFor={fieldId}>Your guidance</label>
          <textarea
            id={fieldId}
            rows={2}
            readOnly={!isWaiting}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
        <Button
          look="primary"
          why={toWhy('guideStep') ?? (text.trim() === '' ? 'Write an answer first.' : undefined)}
          busy={guide.isPending}
          onClick={() => guide.mutate({ text, since })}
        >
          Send guidance
        </Button>
        <Retry change={current} step={step} label="Retry without" why={decision && toWhy('retryStep')} />
        {line !== undefined && <p className={styles['why']}>{line}</p>}
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
