import { Link } from '@tanstack/react-router';
import { type ReactNode, useLayoutEffect } from 'react';
import type { Change, Stage } from '../../api/types.ts';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { toStageState, type State, toWords } from '../../parts/phase-state.ts';
import { Mark } from '../../parts/state.tsx';
import { useRoving } from '../../parts/use-roving.ts';
import styles from './strip.module.css';

export const stateWords: Record<State, string> = {
  done: 'Done',
  working: 'In progress',
  waiting: 'Waiting for a person',
  warn: 'Warning',
  failed: 'Failed',
  idle: 'Not started',
  held: 'On hold',
};

/** The stages of a Change, from its issue to production. It is one Tab stop, and the arrow keys move within it. */
export function Strip({ change }: { change: Change }) {
  const { progress: stages } = change;
  const current = findCurrent(stages);
  const now = stages[current];
  const { row, toProps } = useRoving(stages.length, Math.max(0, current), {
    next: 'ArrowRight',
    previous: 'ArrowLeft',
  });
  useCoveredTop();
  return (
    <nav className={styles['strip']} aria-label="How far this Change is">
      <ol {...row}>
        {stages.map((stage, index) => {
          const state = toStageState(stage.colour);
          return (
            <li
              key={`${stage.stage} ${stage.label}`}
              data-state={state}
              aria-current={index === current ? 'step' : undefined}
            >
              <Station change={change} stage={stage} rove={toProps(index)}>
                <Mark state={state} large />
                <span className={styles['lbl']}>{stage.label}</span>
                <span className={styles['sub']} title={stage.detail}>
                  {toSub(stage)}
                </span>
              </Station>
            </li>
          );
        })}
      </ol>
      {now && (
        <p className={styles['now']} aria-hidden="true">
          <span>{now.label}</span>
          <span className="dim">{toSub(now)}</span>
        </p>
      )}
    </nav>
  );
}

/** The strip covers the top of what is scrolled. The browser would evaluate `html:has()` for each element that changes. */
function useCoveredTop(): void {
  useLayoutEffect(() => {
    const { classList } = document.documentElement;
    const covered = styles['covered'] ?? '';
    classList.add(covered);
    return () => classList.remove(covered);
  }, []);
}

/** The stage that a person should look at: one that waits, has failed or is in progress, else the last that is done. */
export function findCurrent(stages: Stage[]): number {
  for (const colour of ['amber', 'red', 'blue']) {
    const index = stages.findIndex((stage) => stage.colour === colour);
    if (index >= 0) return index;
  }
  return stages.findLastIndex(({ colour }) => colour === 'green');
}

type Rove = ReturnType<ReturnType<typeof useRoving>['toProps']>;
type StationProps = { change: Change; stage: Stage; rove: Rove; children: ReactNode };

/** Each station leads to where its stage is shown: on this page, on that of the Release, or on the code host. */
function Station({ change, stage, rove, children }: StationProps) {
  const { org, release } = change;
  const props = { ...rove, className: styles['station'] };
  if (release !== undefined && (stage.stage === 'release' || stage.stage === 'zone'))
    return (
      <Link to="/$org/releases/$release" params={{ org, release }} {...props}>
        {children}
      </Link>
    );
  const step = findStep(change, stage);
  if (step !== undefined)
    return (
      <Link
        from="/$org/changes/$run"
        to="."
        search={({ tab: _tab, ...old }) => ({ ...old, step })}
        hash={step}
        {...props}
      >
        {children}
      </Link>
    );
  if (stage.url !== undefined)
    return (
      <OutsideLink href={stage.url} {...props}>
        {children}
      </OutsideLink>
    );
  return <span {...props}>{children}</span>;
}

/** The step that a stage stands for: the one that needs attention, or else the last. */
function findStep({ spec, status }: Change, { stage }: Stage): string | undefined {
  const types: Partial<Record<Stage['stage'], string>> = { review: 'agent', approval: 'human', merged: 'merge' };
  const names = new Set(spec.steps.filter(({ type }) => type === types[stage]).map(({ name }) => name));
  const steps = (status?.steps ?? []).filter(({ name }) => names.has(name));
  for (const phases of [['Failed', 'Rejected'], ['Waiting', 'NeedsGuidance'], ['Running'], ['Succeeded']]) {
    const step = steps.findLast(({ phase }) => phases.includes(phase));
    if (step) return step.name;
  }
  return steps[0]?.name;
}

const toSub = ({ stage, colour, detail }: Stage): string => {
  const words = stateWords[toStageState(colour)];
  if (stage === 'merged' && colour === 'green' && detail !== undefined) return detail.slice(0, 7);
  // There is room for the name of a person, and for none of the step that waits for one.
  if (stage === 'approval' && colour === 'amber') return words;
  if (stage === 'approval' && colour === 'green' && detail !== undefined) return detail.replace(/@\S+$/, '');
  return stage === 'issue' || detail === undefined ? words : toWords(detail);
};
