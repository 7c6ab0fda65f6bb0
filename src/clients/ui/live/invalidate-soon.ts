import type { Query, QueryClient } from '@tanstack/react-query';
import { isLive } from './is-live.ts';
import { isAway } from './live-state.ts';

type Predicate = (query: Query) => boolean;

/** A query is read again at most once in this time. */
const pauseMs = 1_000;

const paused = new WeakMap<QueryClient, Map<string, Predicate[]>>();

/**
 * Has queries read again: at once, and then at most once a second for each subject. `meta.live` of a query says whether
 * it is read at every change.
 */
export function invalidateSoon(queryClient: QueryClient, subject: string, predicate: Predicate): void {
  const subjects = paused.get(queryClient) ?? new Map<string, Predicate[]>();
  paused.set(queryClient, subjects);
  const waiting = subjects.get(subject);
  if (waiting) {
    // Responses that are on their way may be older than the change, so these queries are read again after the pause.
    const reading = new Set(queryClient.getQueryCache().findAll({ predicate, fetchStatus: 'fetching' }));
    waiting.push((query) => reading.has(query) || predicate(query));
    return;
  }
  invalidate(queryClient, [predicate]);
  const onPauseEnd = (): void => {
    const predicates = subjects.get(subject) ?? [];
    subjects.delete(subject);
    if (predicates.length === 0) return;
    subjects.set(subject, []);
    invalidate(queryClient, predicates);
    setTimeout(onPauseEnd, pauseMs);
  };
  subjects.set(subject, []);
  setTimeout(onPauseEnd, pauseMs);
}

function invalidate(queryClient: QueryClient, predicates: Predicate[]): void {
  // Everything is read again when the server is back.
  if (isAway()) return;
  const predicate: Predicate = (query) => isLive(query) && predicates.some((isConcerned) => isConcerned(query));
  const reading = queryClient.getQueryCache().findAll({ predicate, fetchStatus: 'fetching' });
  void queryClient.invalidateQueries({ predicate }, { cancelRefetch: false });
  // A response that is on its way may be older than the change.
  for (const { promise, queryKey } of reading) {
    const readAgain = (): void => void queryClient.invalidateQueries({ queryKey, exact: true });
    promise?.then(readAgain, readAgain);
  }
}
