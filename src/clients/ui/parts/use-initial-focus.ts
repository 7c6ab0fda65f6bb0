import { useRef, type RefObject } from 'react';

/**
 * Props of a dialog, which take the focus out of the page as soon as the dialog is open. The library hides the page at
 * once, but focuses the first field, or the given element, only in the next frame.
 */
export function useInitialFocus(element?: RefObject<HTMLElement | null>) {
  const popup = useRef<HTMLDivElement>(null);
  const initialFocus = (openedBy: string): HTMLElement | true | null => {
    // A field with the attribute `autofocus` has it already.
    if (popup.current?.contains(document.activeElement) === false) popup.current.focus({ preventScroll: true });
    // The first field would open the keyboard of a touch screen.
    return element ? element.current : openedBy === 'touch' ? popup.current : true;
  };
  return { ref: popup, initialFocus };
}
