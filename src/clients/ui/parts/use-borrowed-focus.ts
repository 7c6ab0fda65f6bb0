import { type RefObject, useEffect, useState } from 'react';

/** Gives the focus to the first field of a form that opens, and returns it when the form closes. */
export function useBorrowedFocus(form: RefObject<HTMLFormElement | null>, isBorrowing: boolean): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(() => {
    if (!isBorrowing) return undefined;
    form.current?.querySelector('input')?.focus();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, [form, opener, isBorrowing]);
}
