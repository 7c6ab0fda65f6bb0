import { useState } from 'react';
import type { Change } from '../../api/types.ts';
import type { State } from '../../parts/phase-state.ts';
import { Mark } from '../../parts/state.tsx';
import { Time } from '../../parts/time.tsx';
import styles from '../../parts/page.module.css';

/** Says who made a decision that waited when the page was opened, in the place where its card has been. */
export function Decided({ change: { status } }: { change: Change }) {
  const steps = status?.steps ?? [];
  const [seen] = useState(() => new Set(steps.filter(({ phase }) => phase === 'Waiting').map(({ name }) => name)));
  return steps.flatMap(({ name, phase, decision }) =>
    seen.has(name) && phase !== 'Waiting' && decision
      ? [
          <p key={name} className={styles['notice']} data-state={toState(decision)} role="status">
            <Mark state={toState(decision)} />
            <span>
              {decision.by.split('@')[0]} {decision.outcome} {name} at <Time at={decision.at} />
              {decision.note !== undefined && `: ${decision.note}`}
            </span>
          </p>,
        ]
      : [],
  );
}

const toState = ({ outcome }: { outcome: 'approved' | 'rejected' }): State =>
  outcome === 'approved' ? 'done' : 'failed';
