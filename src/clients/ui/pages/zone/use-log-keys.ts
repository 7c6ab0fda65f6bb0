import { useEffect, useRef } from 'react';
import { isShortcut } from '../../shell/keys.ts';

/** Handles the single-key shortcuts of the logs; "/" works on every page with a search field. */
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
