import type { ReactNode } from 'react';
import styles from './figures.module.css';

/** A row of the facts that a person looks for first, each with one line below. */
export const Figures = ({ children }: { children: ReactNode }) => <dl className={styles['figures']}>{children}</dl>;

export const Figure = ({ term, value, children }: { term: string; value: ReactNode; children?: ReactNode }) => (
  <div>
    <dt>{term}</dt>
    <dd className={styles['figure']}>{value}</dd>
    <dd>{children}</dd>
  </div>
);
