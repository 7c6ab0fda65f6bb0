import type { ReactNode } from 'react';
import { Brand } from '../shell/brand.tsx';
import { useHeading } from './page.tsx';
import styles from './signed-out-page.module.css';

/** A page for people who are not signed in. */
export function SignedOutPage({ title, note, children }: { title: string; note: ReactNode; children: ReactNode }) {
  const heading = useHeading(title);
  return (
    <main className={styles['gate']}>
      <div className={styles['box']}>
        <p className={styles['brand']}>
          <Brand />
          Delivery platform
        </p>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <p>{note}</p>
        {children}
      </div>
    </main>
  );
}
