import { type RefObject, useLayoutEffect } from 'react';

/**
 * Passes the focus on when the page removes the element that has it, or whose dialog has it: to the next row of the
 * table, to the row before the last one, or else to the heading of the page, to which the page does not scroll.
 */
export function usePassedFocus(element: RefObject<HTMLElement | null>, isOpen?: RefObject<boolean>): void {
  useLayoutEffect(
    // The element is still in the page when React cleans up.
    () => () => {
      const { current } = element;
      if (!current || !(isOpen?.current || current.contains(document.activeElement))) return;
      const row = current.closest('tr');
      const next = row?.nextElementSibling ?? row?.previousElementSibling;
      const control = next?.querySelector<HTMLElement>('a, button');
      if (control) control.focus();
      else document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
    },
    [element, isOpen],
  );
}
