import type { Change } from '../../api/types.ts';
import { useSeen } from '../../parts/use-seen.ts';
import { Decision } from './decision.tsx';
import styles from './decisions.module.css';
import { Guidance } from './guidance.tsx';
import { Promotions } from './released.tsx';

/**
 * All that has waited for a person since the page was opened. A decision that another person makes stays in its place, so
 * that nothing moves under the pointer and no focus is lost; the next one follows below.
 */
export function Decisions({ change }: { change: Change }) {
  const { org, status, release } = change;
  const steps = status?.steps ?? [];
  const seen = useSeen(steps.filter(({ phase }) => phase === 'Waiting').map(({ name }) => name));
  return (
    <div className={styles['decisions']}>
      {steps.map((step) => {
        if (step.phase === 'NeedsGuidance') return <Guidance key={step.name} change={change} step={step} />;
        return seen.has(step.name) && <Decision key={step.name} change={change} step={step} />;
      })}
      {release !== undefined && <Promotions org={org} release={release} />}
    </div>
  );
}
