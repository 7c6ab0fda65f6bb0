import { useMatch } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode, type RefObject } from 'react';
import { announce } from '../shell/announcer.tsx';
import { takeExpectedFocus } from '../shell/focus.ts';
import { rememberPage } from '../shell/recent.ts';
import styles from './page.module.css';

/** The head of a page. Its title names the tab too. */
export function PageHead({
  title,
  heading: shown = title,
  icon,
  tag,
  children,
  actions,
}: {
  title: string;
  /** The title with marks, such as colours. */
  heading?: ReactNode;
  icon?: ReactNode;
  tag?: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  const heading = useHeading(title);
  return (
    <div className={styles['head']}>
      {icon}
      <div>
        <div className="row wrap">
          <h1 ref={heading} tabIndex={-1}>
            {shown}
          </h1>
          {tag}
        </div>
        {children && <p>{children}</p>}
      </div>
      {actions && <div className={styles['acts']}>{actions}</div>}
    </div>
  );
}

/** Names the tab for the page, and focuses its heading when a link led here. */
export function useHeading(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  // Two pages may have the same title, such as two Changes of one issue.
  const pathname = useMatch({ strict: false, select: (match) => match.pathname });
  useEffect(() => {
    document.title = `${title} · Delivery platform`;
    rememberPage(title);
    if (!takeExpectedFocus()) return;
    heading.current?.focus();
    announce(title);
  }, [title, pathname]);
  return heading;
}

export const Section = ({
  id,
  title,
  note,
  aside,
  children,
}: {
  id: string;
  title: string;
  note?: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
}) => (
  <section aria-labelledby={id}>
    <div className={styles['sec']}>
      <h2 id={id}>{title}</h2>
      {note && <p>{note}</p>}
      {aside && <span className="push">{aside}</span>}
    </div>
    {children}
  </section>
);

/** A place where something will be: what it is, why it is empty, and what to do. */
export const Empty = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className={styles['empty']}>
    <h2>{title}</h2>
    {children}
  </div>
);

/** Lines in the place of data that is being read. They appear only when reading takes a moment. */
export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div className={styles['skeleton']} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className={styles['sk']} style={{ width: `${40 + ((row * 37) % 50)}%` }} />
      ))}
    </div>
  );
}

/** A page that is being read. Its heading is not known yet, and screen readers look for one. */
export const PendingPage = () => (
  <>
    <p role="heading" aria-level={1} className="sr">
      Loading the page
    </p>
    <Skeleton />
  </>
);

/** Terms with their values; those without a value are left out. */
export const Details = ({ items }: { items: ([term: string, value: ReactNode] | false | undefined)[] }) => (
  <dl className={styles['kv']}>
    {items
      .filter((item) => item !== false && item !== undefined)
      .map(([term, value]) => (
        <div key={term} className={styles['pair']}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

/** The content of a page with its details in a column of their own, or below on a narrow screen. */
export const Columns = ({ aside, children }: { aside: ReactNode; children: ReactNode }) => (
  <div className={styles['cols']}>
    <div>{children}</div>
    <aside aria-label="Details">{aside}</aside>
  </div>
);
