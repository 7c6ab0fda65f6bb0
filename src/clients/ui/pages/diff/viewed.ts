import { useSyncExternalStore } from 'react';
import { viewedPrefix } from '../../shell/sign-in.ts';

/** The files of a diff that this person has marked as viewed, in this browser. They belong to one head commit. */
type Marks = { head: string; paths: string[] };

const runsMax = 50;
const listeners = new Set<() => void>();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
};

/** Returns the viewed files and a function that changes one. A new head commit has not been viewed. */
export function useViewed(run: string, head: string): [ReadonlySet<string>, (path: string, isViewed: boolean) => void] {
  const stored = useSyncExternalStore(subscribe, () => localStorage.getItem(viewedPrefix + run) ?? '');
  const viewed = new Set(readMarks(stored, head));
  const setViewed = (path: string, isViewed: boolean): void => {
    // Several keys may be pressed before the page is drawn again.
    const paths = readMarks(localStorage.getItem(viewedPrefix + run) ?? '', head).filter((one) => one !== path);
    if (isViewed) paths.push(path);
    store(run, { head, paths });
  };
  return [viewed, setViewed];
}

function readMarks(stored: string, head: string): string[] {
  if (stored === '') return [];
  try {
    const marks = JSON.parse(stored) as Marks;
    return marks.head === head ? marks.paths : [];
  } catch {
    return [];
  }
}

function store(run: string, marks: Marks): void {
  const others = Object.keys(localStorage).filter((key) => key.startsWith(viewedPrefix) && key !== viewedPrefix + run);
  for (const key of others.slice(0, Math.max(0, others.length - runsMax))) localStorage.removeItem(key);
  localStorage.setItem(viewedPrefix + run, JSON.stringify(marks));
  for (const listener of listeners) listener();
}
