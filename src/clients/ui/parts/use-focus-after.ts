import { useLayoutEffect, type RefObject } from 'react';

/** Leads the focus to the heading of the page when the element that has it goes away, which would lose it. */
export function useFocusAfter(place: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = place.current;
    return () => {
      if (element?.contains(document.activeElement))
        document.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
    };
  }, [place]);
}
