import { useCallback, useRef, useState, type FocusEvent, type KeyboardEvent, type RefCallback } from 'react';

/** One Tab stop for a row of links: the arrow keys, Home and End move the focus, and Enter opens what has it. */
export function useRoving(count: number, start: number, keys: { next: string; previous: string }) {
  const container = useRef<HTMLElement>(null);
  const [moved, setMoved] = useState<number>();
  const active = Math.max(0, Math.min(count - 1, moved ?? start));
  const listLinks = (): HTMLElement[] => [...(container.current?.querySelectorAll<HTMLElement>('[data-rove]') ?? [])];
  const ref: RefCallback<HTMLElement> = (element) => {
    container.current = element;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const targets: Record<string, number> = {
      [keys.next]: active + 1,
      [keys.previous]: active - 1,
      Home: 0,
      End: count - 1,
    };
    const target = targets[event.key];
    if (target === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(count - 1, target));
    setMoved(next);
    listLinks()[next]?.focus();
  };
  const onFocus = ({ target }: FocusEvent<HTMLElement>): void => {
    const index = listLinks().indexOf(target);
    if (index >= 0) setMoved(index);
  };
  const toProps = useCallback(
    (index: number) => ({ 'data-rove': true, tabIndex: index === active ? 0 : -1 }),
    [active],
  );
  return { row: { ref, onKeyDown, onFocus }, toProps };
}
