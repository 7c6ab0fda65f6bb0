import { useEffect, useRef } from 'react';
import { announce } from '../shell/announcer.tsx';

/** Tells screen readers the facts that have come up since the page of `subject` was opened, those of one moment at once. */
export function useAnnounceNews(subject: string, facts: readonly string[]): void {
  const told = useRef<{ subject: string; facts: readonly string[] }>(undefined);
  useEffect(() => {
    const { current: before } = told;
    told.current = { subject, facts };
    if (before?.subject !== subject) return;
    const news = facts.filter((fact) => !before.facts.includes(fact));
    if (news.length > 0) announce(`${news.join('. ')}.`);
  });
}
