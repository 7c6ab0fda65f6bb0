import type { ReactNode } from 'react';
import { useHeading } from '../../parts/page.tsx';
import styles from './setup.module.css';

/** A step of setting up: the question that it answers, and why. */
export function Step({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  const heading = useHeading(title);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <p className={styles['lead']}>{lead}</p>
      {children}
    </>
  );
}
