import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { transcriptQuery } from '../../api/queries/transcript.ts';
import { Button } from '../../parts/button.tsx';
import { Skeleton } from '../../parts/page.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { TurnRow } from './turn-row.tsx';
import styles from './transcript.module.css';

type Props = {
  org: string;
  run: string;
  step: string;
  turns: number;
  isRunning: boolean;
  /** Begins with this many turns at the end. */
  last?: number;
};

/** The turns that are read at the end, where a running step is worth watching. */
const lastTurns = 30;

/** The turns of an agent. While the step runs, the newest is followed until the reader scrolls up. */
export function Transcript({ org, run, step, turns, isRunning, last = isRunning ? lastTurns : turns }: Props) {
  const [start] = useState(Math.max(0, turns - last));
  const query = useInfiniteQuery(transcriptQuery(org, run, step, start));
  const { data, error, hasNextPage, isFetchingNextPage, isFetchingPreviousPage, fetchNextPage, refetch } = query;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const count = items.length;

  // The view of the Change counts the turns live; only then is there something new to read. The last turn may be counted
  // by the same view that ends the step.
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current) void refetch({ cancelRefetch: !isRunning });
    wasRunning.current = isRunning;
  }, [isRunning, turns, refetch]);
  useEffect(() => {
    // A part that cannot be read is read again with the next turn, and not at once.
    if (isRunning && hasNextPage && !isFetchingNextPage && !error) void fetchNextPage();
  }, [isRunning, hasNextPage, isFetchingNextPage, error, fetchNextPage]);

  const { box, isFollowing, onScroll, follow } = useFollow(isRunning, count);
  if (!data) return error ? <ProblemNotice error={error} /> : <Skeleton rows={3} />;
  if (count === 0)
    return <p className="dim">{isRunning ? 'The first turn is in progress.' : 'No turn was recorded.'}</p>;
  return (
    <div>
      <div
        ref={box}
        className={styles['log']}
        role="region"
        aria-label={`Transcript of ${step}`}
        tabIndex={0}
        onScroll={onScroll}
      >
        {query.hasPreviousPage && (
          <p>
            <Button small busy={isFetchingPreviousPage} onClick={() => void query.fetchPreviousPage()}>
              Show earlier turns
            </Button>
          </p>
        )}
        {items.map((turn) => (
          <TurnRow key={turn.turn} turn={turn} />
        ))}
        {hasNextPage && (
          <p>
            <Button small busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show more turns
            </Button>
          </p>
        )}
      </div>
      {error && <ProblemNotice error={error} />}
      {isRunning && !isFollowing && (
        <p className={styles['resume']}>
          <Button small onClick={follow}>
            Follow the newest turn
          </Button>
        </p>
      )}
    </div>
  );
}

/** Keeps the end of a box in sight as it grows, unless the reader has scrolled away from it. */
function useFollow(isActive: boolean, count: number) {
  const box = useRef<HTMLDivElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const scrollToEnd = (): void => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  useEffect(() => {
    if (isActive && isFollowing) scrollToEnd();
  }, [isActive, isFollowing, count]);
  const onScroll = (): void => {
    if (!box.current) return;
    const { scrollTop, scrollHeight, clientHeight } = box.current;
    setFollowing(scrollHeight - scrollTop - clientHeight < 24);
  };
  const follow = (): void => {
    setFollowing(true);
    scrollToEnd();
  };
  return { box, isFollowing, onScroll, follow };
}
