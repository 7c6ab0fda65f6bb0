const storageKey = 'typed-text';

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
type Typed = { path: string; values: [key: string, value: string | boolean][] };

/** Keeps what a person has typed on this page until the same page of the next build shows the same fields. */
export function keepTypedText(): void {
  const values = listFields().flatMap(([key, field]): Typed['values'] => {
    const value = readValue(field);
    return value === undefined ? [] : [[key, value]];
  });
  const typed: Typed = { path: location.pathname + location.search, values };
  if (values.length > 0) sessionStorage.setItem(storageKey, JSON.stringify(typed));
}

/** Fills in again what was kept before a reload, as if the person had typed it; a form that is closed, once it opens. */
export function restoreTypedText(): void {
  const text = sessionStorage.getItem(storageKey);
  if (text === null) return;
  sessionStorage.removeItem(storageKey);
  const { path, values } = JSON.parse(text) as Typed;
  const missing = new Map(values);
  const fill = (): void => {
    if (location.pathname + location.search !== path) return observer.disconnect();
    for (const [key, field] of listFields()) {
      const value = missing.get(key);
      if (value === undefined) continue;
      missing.delete(key);
      writeValue(field, value);
    }
    if (missing.size === 0) observer.disconnect();
  };
  const observer = new MutationObserver(fill);
  observer.observe(document.body, { childList: true, subtree: true });
  fill();
}

/** The fields with their labels, which stay the same in another build. */
function listFields(): [key: string, field: Field][] {
  const counts = new Map<string, number>();
  return [...document.querySelectorAll<Field>('main input, main textarea, main select')]
    .filter((field) => !['password', 'file', 'hidden', 'search'].includes(field.type))
    .map((field) => {
      const label = `${field.name} ${field.labels?.[0]?.textContent ?? field.getAttribute('aria-label') ?? ''} ${field.type === 'radio' ? field.value : ''}`;
      const count = counts.get(label) ?? 0;
      counts.set(label, count + 1);
      return [`${label} ${count}`, field];
    });
}

const isToggle = (field: Field): field is HTMLInputElement => field.type === 'checkbox' || field.type === 'radio';

/** The value of a field that the person may have changed. */
function readValue(field: Field): string | boolean | undefined {
  if (isToggle(field)) return field.checked;
  return field.value === '' ? undefined : field.value;
}

/** React takes over a value only from an event, and ignores an event whose value it has set itself. */
function writeValue(field: Field, value: string | boolean): void {
  if (isToggle(field)) {
    if (field.checked !== value) field.click();
    return;
  }
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field) as object, 'value')?.set?.call(field, value);
  field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
}
