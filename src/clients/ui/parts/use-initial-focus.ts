import { useRef, type RefObject } from 'react';

/** Selects the elements that take the focus by Tab; of a group of radio buttons, only the chosen one does. */
const control =
  ':is(a[href], button, input:not([type=radio]:not(:checked)), select, textarea, [tabindex="0"]):not(:disabled)';

/**
 * Props of a dialog, which move the focus into it as soon as it is open. The library hides the page at once, but moves
 * the focus only in the next frame, when a person may already have chosen another field.
 */
export function useInitialFocus(element?: RefObject<HTMLElement | null>) {
  const popup = useRef<HTMLDivElement>(null);
  const initialFocus = (openedBy: string): false => {
    const dialog = popup.current;
    // A field with the attribute `autofocus` has it already.
    if (!dialog || dialog.contains(document.activeElement)) return false;
    const controls = [...dialog.querySelectorAll<HTMLElement>(control)];
    // The first field would open the keyboard of a touch screen.
    const first = openedBy === 'touch' ? undefined : controls.find((one) => one.checkVisibility());
    (element?.current ?? first ?? dialog).focus({ preventScroll: true });
    return false;
  };
  return { ref: popup, initialFocus };
}
