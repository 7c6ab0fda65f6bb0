import { useSyncExternalStore } from 'react';

let message = '';
const listeners = new Set<() => void>();
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Tells screen readers what changed, without moving their focus. They read only a text that differs from the last one. */
export function announce(text: string): void {
  message = text === message ? `${text}\u00A0` : text;
  for (const listener of listeners) listener();
}

export function Announcer() {
  const text = useSyncExternalStore(subscribe, () => message);
  return (
    <p className="sr" role="status" aria-live="polite">
      {text}
    </p>
  );
}
