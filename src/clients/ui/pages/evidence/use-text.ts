import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { revealInvisible } from '../../api/reveal-invisible.ts';
import { evidenceTextQuery } from '../../api/queries/evidence.ts';

/** The text of a file as far as it has been read. Parts may end within a character, so all are decoded together. */
export function useText(url: string) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(evidenceTextQuery(url));
  const text = useMemo(() => {
    if (!data) return undefined;
    const decoder = new TextDecoder();
    const parts = data.pages.map(({ bytes, next }) => decoder.decode(bytes, { stream: next !== undefined }));
    return revealInvisible(parts.join(''));
  }, [data]);
  return { text, error, isComplete: !hasNextPage, isReading: isFetchingNextPage, readMore: () => void fetchNextPage() };
}
