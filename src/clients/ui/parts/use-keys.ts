import { useEffect, useRef } from 'react';
import { isShortcut } from '../shell/keys.ts';

/** Calls an action of a page for a single key, if single keys are on and the person is not typing. */
export function useKeys(actions: Record<string, () => void>): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const action = latest.current[event.key];
      if (!action || !isShortcut(event)) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
