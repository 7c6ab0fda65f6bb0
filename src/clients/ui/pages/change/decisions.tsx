import { Fragment } from 'react';
import type { Change, Step } from '../../api/types.ts';
import { useSeen } from '../../parts/use-seen.ts';
import { Decision } from './decision.tsx';
import styles from './decisions.module.css';
import { Guidance } from './guidance.tsx';
import { Promotions } from './released.tsx';
import type { ShownHeads } from './use-shown-heads.ts';

/**
 * All that has waited for a person since the page was opened. A decision that another person makes stays in its place, so
 * that nothing moves under the pointer and no focus is lost; the next one follows below.
 */
export function Decisions({ change, heads }: { change: Change; heads: ShownHeads }) {
  const { org, status, release } = change;
  const steps = status?.steps ?? [];
  const list = (phase: Step['phase']): string[] => steps.filter((step) => step.phase === phase).map(({ name }) => name);
  const [decided, asked] = [useSeen(list('Waiting')), useSeen(list('NeedsGuidance'))];
  return (
    <div className={styles['decisions']}>
      {steps.map((step) => (
        <Fragment key={step.name}>
          {asked.has(step.name) && <Guidance change={change} step={step} />}
          {decided.has(step.name) && <Decision change={change} step={step} heads={heads} />}
        </Fragment>
      ))}
      {release !== undefined && <Promotions org={org} release={release} />}
    </div>
  );
}
