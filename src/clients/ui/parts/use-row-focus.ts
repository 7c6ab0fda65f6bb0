import { type RefObject, useEffect, useRef } from 'react';

const control = 'input, select, textarea, summary, button';

/**
 * Gives the focus to a row of a list after a person has added or removed one, because the button that was pressed may be
 * gone: to the first control of the row at an index, or else to the last button of the list. Rows have `data-row`.
 */
export function useRowFocus(): { list: RefObject<HTMLFieldSetElement | null>; focusRow: (index: number) => void } {
  const list = useRef<HTMLFieldSetElement>(null);
  const wanted = useRef<number>(undefined);
  useEffect(() => {
    if (wanted.current === undefined) return;
    const row = list.current?.querySelectorAll('[data-row]')[wanted.current];
    wanted.current = undefined;
    const found = row?.querySelector<HTMLElement>(control);
    (found ?? [...(list.current?.querySelectorAll('button') ?? [])].at(-1))?.focus();
  });
  return { list, focusRow: (index) => void (wanted.current = index) };
}
