import { useEffect, useRef } from 'react';
import { isShortcut } from '../../shell/keys.ts';

/** Listens to single keys of the logs; "/" is a key of every page that has a search. */
export function useLogKeys(actions: Record<'f' | 'w', () => void>): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (!isShortcut(event)) return;
      if (event.key === 'f' || event.key === 'w') latest.current[event.key]();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}
