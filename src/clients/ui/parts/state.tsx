import type { ReactNode } from 'react';
import { toState, toWords, type State } from './phase-state.ts';
import styles from './state.module.css';

const shapes: Record<State, ReactNode> = {
  done: (
    <>
      <circle cx="8" cy="8" r="7" fill="currentColor" />
      <path className={styles['line']} d="m5 8.3 2.1 2.1L11.2 6" />
    </>
  ),
  failed: (
    <>
      <path d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z" fill="currentColor" />
      <path className={styles['line']} d="m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8" />
    </>
  ),
  warn: (
    <>
      <path d="M8 1 15.5 14.5H.5z" fill="currentColor" />
      <path className={styles['line']} d="M8 6v4m0 2.2v.1" />
    </>
  ),
  held: (
    <>
      <path d="M8 .8 14.3 4.4v7.2L8 15.2 1.7 11.6V4.4z" fill="currentColor" />
      <path className={styles['line']} d="M6.3 5.3v5.4M9.7 5.3v5.4" />
    </>
  ),
  waiting: (
    <>
      <rect x="1" y="1" width="14" height="14" rx="3.5" fill="currentColor" />
      <circle cx="8" cy="6" r="2.1" fill="var(--on-mark)" />
      <path className={styles['line']} d="M4.3 12.2c.4-2 1.8-3 3.7-3s3.3 1 3.7 3" />
    </>
  ),
  working: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeOpacity=".3" strokeWidth="2" />
      <path d="M8 2a6 6 0 0 1 6 6" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
      <circle cx="8" cy="8" r="2" fill="currentColor" />
    </>
  ),
  idle: <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.6" />,
};

/** The icon of a state. The word next to it says the same, so screen readers skip the icon. */
export const Mark = ({ state, large = false }: { state: State; large?: boolean }) => (
  <svg
    className={`${styles['m']} ${large ? styles['l'] : ''}`}
    data-state={state}
    viewBox="0 0 16 16"
    aria-hidden="true"
  >
    {shapes[state]}
  </svg>
);

/** The icon and the words of a phase; `quiet` leaves the colour to the icon. */
export const Phase = ({
  phase,
  words = toWords(phase),
  quiet = false,
}: {
  phase: string;
  words?: string;
  quiet?: boolean;
}) => (
  <span className={`${styles['st']} ${quiet ? styles['q'] : ''}`} data-state={toState(phase)}>
    <Mark state={toState(phase)} />
    {words}
  </span>
);

/** A state that is not a phase, with its own icon and words. */
export const Status = ({ state, words }: { state: State; words: string }) => (
  <span className={styles['st']} data-state={state}>
    <Mark state={state} />
    {words}
  </span>
);

export const Tag = ({ state, children }: { state: State; children: ReactNode }) => (
  <span className={styles['tag']} data-state={state}>
    {children}
  </span>
);
