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
    // Radio buttons are reached by the chosen one; those of a group within this one are not about the error.
    const chosen = controls.find((one) => one.matches(':checked') && one.closest('fieldset, [data-invalid]') === found);
    (found?.matches(control) ? found : (chosen ?? controls[0]))?.focus();
  }, [error]);
  return form;
}
