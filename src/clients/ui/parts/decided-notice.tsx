import styles from './page.module.css';
import type { State } from './phase-state.ts';
import { Mark } from './state.tsx';
import { Time } from './time.tsx';

type Decision = { by: string; outcome: 'approved' | 'rejected'; at: string; note?: string | undefined };

/** One person's decision, for all who had it before them. */
export const DecidedNotice = ({ decision: { by, outcome, at, note }, what }: { decision: Decision; what: string }) => (
  <p className={styles['notice']} data-state={toState(outcome)}>
    <Mark state={toState(outcome)} />
    <span>
      {by.split('@')[0]} {outcome} {what} at <Time at={at} />
      {note !== undefined && `: ${note}`}
    </span>
  </p>
);

const toState = (outcome: Decision['outcome']): State => (outcome === 'approved' ? 'done' : 'failed');

export const formatDecision = ({ by, outcome }: Decision, what: string): string =>
  `${by.split('@')[0]} ${outcome} ${what}`;
