import styles from './page.module.css';
import type { State } from './phase-state.ts';
import { Mark } from './state.tsx';
import { Time } from './time.tsx';

export type Decided = {
  by: string;
  outcome: 'approved' | 'rejected' | 'guided' | 'retried';
  at: string;
  note?: string | undefined;
};

/** One person's decision, for all who had it before them. */
export const DecidedNotice = ({ decision, what }: { decision: Decided; what: string }) => (
  <p className={styles['notice']} data-state={toDecidedState(decision)}>
    <Mark state={toDecidedState(decision)} />
    <span>
      {formatDecision(decision, what)} at <Time at={decision.at} />
      {decision.note !== undefined && `: ${decision.note}`}
    </span>
  </p>
);

export const toDecidedState = ({ outcome }: Decided): State => (outcome === 'rejected' ? 'failed' : 'done');

export const formatDecision = ({ by, outcome }: Decided, what: string): string =>
  `${by.split('@')[0]} ${outcome} ${what}`;
