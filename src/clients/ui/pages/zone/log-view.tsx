import { Link } from '@tanstack/react-router';
import { memo, useEffect, useLayoutEffect, useRef } from 'react';
import { Mark } from '../../parts/state.tsx';
import { splitMatches, type LogLine } from './log-lines.ts';
import { zoneRoute } from './route.ts';
import styles from './logs.module.css';

type LogViewProps = { lines: LogLine[]; isFollowing: boolean; onFollow: (isFollowing: boolean) => void };

/** The lines in a frame that stays at the newest one until the reader scrolls. */
export function LogView({ lines, isFollowing, onFollow }: LogViewProps) {
  const { wrap, contains, line } = zoneRoute.useSearch();
  const frame = useRef<HTMLDivElement>(null);
  // The frame also scrolls when its content grows, which is not the reader.
  const position = useRef(0);
  // The oldest lines leave when new ones come, so that a reader would lose the place.
  const anchor = useRef<{ row: HTMLElement; top: number } | null>(null);
  useLayoutEffect(() => {
    if (!frame.current) return;
    if (isFollowing) frame.current.scrollTop = frame.current.scrollHeight;
    else if (anchor.current?.row.isConnected)
      frame.current.scrollTop = anchor.current.row.offsetTop - anchor.current.top;
    position.current = frame.current.scrollTop;
  }, [lines, isFollowing, wrap]);
  useEffect(() => {
    if (line === undefined || !frame.current) return;
    frame.current.querySelector('[aria-current]')?.scrollIntoView({ block: 'center' });
    position.current = frame.current.scrollTop;
  }, [line]);
  const onScroll = (): void => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = frame.current ?? {};
    const isAtEnd = scrollHeight - scrollTop - clientHeight < 24;
    if (scrollTop < position.current - 2 && !isAtEnd) onFollow(false);
    position.current = scrollTop;
    const row = frame.current && findRow(frame.current, scrollTop);
    anchor.current = row ? { row, top: row.offsetTop - scrollTop } : null;
  };
  const isMissing = line !== undefined && !lines.some(({ id }) => id === line);
  return (
    <>
      {isMissing && (
        <p className={styles['note']}>
          The line of this link is no longer among those shown. Show more lines of each pod.
        </p>
      )}
      <div
        ref={frame}
        className={`${styles['log']} ${wrap ? styles['wrap'] : ''}`}
        tabIndex={0}
        role="region"
        aria-label="Log lines"
        onScroll={onScroll}
      >
        {lines.map((each) => (
          <Line key={each.id} line={each} contains={contains} isCurrent={each.id === line} />
        ))}
      </div>
    </>
  );
}

/** The first row that is in view. */
function findRow({ children }: HTMLElement, scrollTop: number): HTMLElement | undefined {
  const rows = children as HTMLCollectionOf<HTMLElement>;
  const first = rows[0]?.offsetTop ?? 0;
  let [low, high] = [0, rows.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((rows[middle]?.offsetTop ?? 0) - first < scrollTop) low = middle + 1;
    else high = middle;
  }
  return rows[low];
}

type LineProps = { line: LogLine; contains: string | undefined; isCurrent: boolean };

const Line = memo(function Line({ line: { id, at, pod, text, level }, contains, isCurrent }: LineProps) {
  const params = zoneRoute.useParams();
  return (
    <div className={styles['line']} data-level={level} aria-current={isCurrent ? 'true' : undefined}>
      <span className={styles['level']}>
        {level && <Mark state={level === 'error' ? 'failed' : 'warn'} />}
        {level && <span className="sr">{level === 'error' ? 'Error:' : 'Warning:'}</span>}
      </span>
      <Link
        to="/$org/products/$product/zones/$zone"
        params={params}
        search={(before) => ({ ...before, tab: 'logs' as const, line: id })}
        resetScroll={false}
        preload={false}
        className={styles['at']}
        title={`${at}: link to this line`}
        activeProps={{}}
        tabIndex={-1}
      >
        {formatClock(at)}
      </Link>
      <span className={styles['pod']} title={pod}>
        {pod.split('-').at(-1)}
      </span>
      <span className={styles['text']}>
        {splitMatches(text, contains).map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part))}
      </span>
    </div>
  );
});

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const formatClock = (at: string): string => clock.format(new Date(at));
