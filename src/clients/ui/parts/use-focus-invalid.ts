import { useEffect, useRef, type RefObject } from 'react';

const control = 'input, select, textarea, button, summary';

/** Leads to the first field that a rejected request is about: a control, or a group that is marked as a whole. */
export function useFocusInvalid<Form extends HTMLElement>(error: Error | null): RefObject<Form | null> {
  const form = useRef<Form>(null);
  useEffect(() => {
    if (!error) return;
    const found = form.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-invalid]');
    // A control in a part that is closed cannot have the focus.
    const controls = [...(found?.querySelectorAll<HTMLElement>(control) ?? [])].filter((one) => one.checkVisibility());
    (found?.matches(control) ? found : (controls.find((one) => one.matches(':checked')) ?? controls[0]))?.focus();
  }, [error]);
  return form;
}
