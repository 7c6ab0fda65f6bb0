import type { ReactNode } from 'react';
import type { Schemas } from '../api/generated/openapi.ts';
import { Mark } from './state.tsx';
import { Time } from './time.tsx';
import styles from './failure.module.css';

export type FailureView = NonNullable<NonNullable<Schemas['Release']['status']>['failure']>;

/** A failure says what, on what, and how to fix it, with the actions that are possible. */
export const Failure = ({
  title,
  failure,
  children,
}: {
  title: string;
  failure: FailureView;
  children?: ReactNode;
}) => (
  <section className={styles['failure']} aria-label={title}>
    <header>
      <Mark state="failed" large />
      <h2>{title}</h2>
      <span className="push">
        <Time at={failure.at} />
      </span>
    </header>
    <dl className={styles['wof']}>
      <dt>What</dt>
      <dd>{failure.message}</dd>
      <dt>On what</dt>
      <dd>{failure.resource}</dd>
      <dt>How to fix it</dt>
      <dd>{failure.fix}</dd>
    </dl>
    {children && <footer>{children}</footer>}
  </section>
);
