import { getRouteApi, Link } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import type { Schemas } from '../../api/generated/openapi.ts';
import type { Step } from '../../api/types.ts';
import { toState, toWords } from '../../parts/phase-state.ts';
import { Mark, Tag } from '../../parts/state.tsx';
import { Time } from '../../parts/time.tsx';
import { toViewLink } from '../../parts/to-view-link.ts';
import { formatCost, formatTokens } from './format-usage.ts';
import { StepResult } from './step-result.tsx';
import { toRole, type PlannedStep } from './to-role.ts';
import { Transcript } from './transcript.tsx';
import styles from './steps.module.css';
import { toWaitedFor } from '../../parts/waited-for.ts';

type LineProps = {
  step: Step;
  planned: PlannedStep | undefined;
  /** The numbers of files of evidence and of rounds of work. */
  files: number;
  rounds: number;
  isOpen: boolean;
  onOpen: (name: string | undefined) => void;
  /** The content of the open step. */
  children: ReactNode;
};

const route = getRouteApi('/signed-in/$org/changes/$run');
const outcomes = {
  done: 'Done',
  approved: 'Approved',
  'changes-requested': 'Changes requested',
  'needs-guidance': 'Needs guidance',
};

/** One step in a line; opened, what is in it. A Change may have hundreds: a line is rendered only when its step changes. */
export const StepLine = memo(function StepLine({ step, planned, files, rounds, isOpen, onOpen, children }: LineProps) {
  const { name, phase, verdict, decision } = step;
  const state = toState(phase);
  const words = phase === 'Succeeded' && verdict ? outcomes[verdict.outcome] : toWords(phase);
  return (
    <details className={styles['step']} id={name} open={isOpen}>
      <summary
        onClick={(event) => {
          // The address opens the step, so that the browser must not do it too.
          event.preventDefault();
          onOpen(isOpen ? undefined : name);
        }}
      >
        <Mark state={state} />
        <b>{name}</b>
        {phase !== 'Pending' && (
          <Tag state={state}>{decision ? (decision.outcome === 'approved' ? 'Approved' : 'Rejected') : words}</Tag>
        )}
        <span className="dim">
          {decision ? (
            <>
              {decision.by.split('@')[0]} at <Time at={decision.at} />
              {decision.headSha !== undefined && (
                <>
                  , <code>{decision.headSha.slice(0, 7)}</code>
                </>
              )}
            </>
          ) : (
            toRole(planned)
          )}
        </span>
        <span className="push faint small">{toCounts(step, files, rounds)}</span>
      </summary>
      {isOpen && <div className={styles['in']}>{children}</div>}
    </details>
  );
});

function toCounts({ phase, turns, usage, waitingFor }: Step, files: number, rounds: number): string {
  return [
    phase === 'Pending' && 'not started',
    rounds > 1 && `${rounds} rounds`,
    turns && `${turns} ${turns === 1 ? 'turn' : 'turns'}`,
    usage && `${formatTokens(usage)} tokens`,
    usage?.costMicroUsd !== undefined && formatCost(usage),
    files > 0 && `${files} ${files === 1 ? 'file' : 'files'} of evidence`,
    waitingFor && `waits for ${toWaitedFor(waitingFor.role)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

type ContentProps = {
  step: Step;
  planned: PlannedStep | undefined;
  evidence: Schemas['Artifact'][];
  rounds: Schemas['Round'][];
  tab: 'transcript' | undefined;
};

/** The result of a step and the transcript of its agent. The address names the open step and its part. */
export function StepContent({ step, planned, tab, ...rest }: ContentProps) {
  const { org, run } = route.useParams();
  const { name, phase, turns = 0 } = step;
  const result = <StepResult step={step} {...rest} />;
  if (planned?.type !== 'agent' || phase === 'Pending' || phase === 'Skipped') return result;
  return (
    <>
      <nav className={styles['tabs']} aria-label={`Parts of ${name}`}>
        <PartLink step={name} tab={undefined} isCurrent={tab === undefined}>
          Result
        </PartLink>
        <PartLink step={name} tab="transcript" isCurrent={tab === 'transcript'}>
          Transcript{turns > 0 && `, ${turns} ${turns === 1 ? 'turn' : 'turns'}`}
        </PartLink>
      </nav>
      <div className={styles['panel']}>
        {tab === undefined ? (
          result
        ) : (
          <Transcript org={org} run={run} step={name} turns={turns} isRunning={phase === 'Running'} />
        )}
      </div>
    </>
  );
}

type PartLinkProps = { step: string; tab: ContentProps['tab']; isCurrent: boolean; children: ReactNode };

const PartLink = ({ step, tab, isCurrent, children }: PartLinkProps) => (
  <Link
    from="/$org/changes/$run"
    to="."
    search={({ tab: _tab, ...old }) => ({ ...old, step, ...(tab && { tab }) })}
    {...toViewLink(isCurrent)}
  >
    {children}
  </Link>
);
