import type { QueryClient } from '@tanstack/react-query';
import { meQuery } from '../api/queries/me.ts';

const storageKey = 'typed-text';

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
type Values = [key: string, value: string | boolean][];
/** Another person who signs in afterwards must not get the text. */
type Typed = { path: string; email: string | undefined; values: Values; texts: Texts };
/** The texts of all pages, such as notes on decisions that are not sent. */
type Texts = [key: readonly unknown[], text: string][];

const places = ['main', '[role=dialog]', '[role=alertdialog]'];
const selector = places.flatMap((place) => ['input', 'textarea', 'select'].map((tag) => `${place} ${tag}`)).join();
/** The other fields show what is saved, which may be newer after the reload. */
const edited = new WeakSet<Element>();
let isReloading = false;

/**
 * Notices what is typed. The router must be subscribed after this, or it would ask whether to discard the kept text.
 */
export function watchTyping(): void {
  const onInput = ({ target }: Event): void => void (target instanceof Element && edited.add(target));
  document.addEventListener('input', onInput, { capture: true });
  addEventListener('beforeunload', (event) => isReloading && event.stopImmediatePropagation(), { capture: true });
}

/** Keeps what a person has typed on this page until the same page shows the same fields to the same person. */
export function keepTypedText(queryClient: QueryClient): void {
  const texts = queryClient
    .getQueriesData<string>({ queryKey: ['typed'] })
    .flatMap(([key, text]): Texts => (text === undefined || text === '' ? [] : [[key, text]]));
  const isTyped = (field: Field): boolean => edited.has(field) || texts.some(([, text]) => text === field.value);
  const values = listFields().flatMap(([key, field]): Values => (isTyped(field) ? [[key, readValue(field)]] : []));
  save({ path: toPath(), email: findEmail(queryClient), values, texts });
}

/** Loads the next build; what was typed is there again after it. */
export function reload(queryClient: QueryClient): void {
  keepTypedText(queryClient);
  loadAgain();
}

/** Loads the page again without asking whether to discard what was typed. */
export function loadAgain(): void {
  isReloading = true;
  location.reload();
}

/** Fills in again what was kept, as if the person had typed it; a form that is closed, once it opens. */
export function restoreTypedText(queryClient: QueryClient): void {
  const text = sessionStorage.getItem(storageKey);
  if (text === null) return;
  const typed = JSON.parse(text) as Typed;
  if (typed.email !== findEmail(queryClient)) return sessionStorage.removeItem(storageKey);
  for (const [key, kept] of typed.texts) queryClient.setQueryData(key, kept);
  const missing = new Map(typed.values);
  const fill = (): void => {
    if (toPath() !== typed.path) missing.clear();
    // A value may bring further fields, such as those of a chosen kind.
    for (let found = findKept(missing); found; found = findKept(missing)) {
      const [key, field, value] = found;
      missing.delete(key);
      edited.add(field);
      writeValue(field, value);
    }
    save({ ...typed, values: [...missing], texts: [] });
    if (missing.size === 0) observer.disconnect();
  };
  const observer = new MutationObserver(fill);
  observer.observe(document.body, { childList: true, subtree: true });
  // Within its own work, React would take over only the last of several values of a form.
  queueMicrotask(fill);
}

function findKept(
  kept: Map<string, string | boolean>,
): [key: string, field: Field, value: string | boolean] | undefined {
  for (const [key, field] of kept.size === 0 ? [] : listFields()) {
    const value = kept.get(key);
    if (value !== undefined) return [key, field, value];
  }
  return undefined;
}

const findEmail = (queryClient: QueryClient): string | undefined => queryClient.getQueryData(meQuery.queryKey)?.email;
const toPath = (): string => location.pathname + location.search;

function save(typed: Typed): void {
  if (typed.values.length + typed.texts.length === 0) sessionStorage.removeItem(storageKey);
  else sessionStorage.setItem(storageKey, JSON.stringify(typed));
}

/** The fields without secrets, with the labels of their forms and their own, which stay the same in another build. */
function listFields(): [key: string, field: Field][] {
  const counts = new Map<string, number>();
  return [...document.querySelectorAll<Field>(selector)]
    .filter((field) => !('secret' in field.dataset) && !['password', 'file', 'hidden', 'search'].includes(field.type))
    .map((field) => {
      // The name of a group of radio buttons may be generated, and differ after a reload.
      const name = field.type === 'radio' ? '' : field.name;
      const form = field.form?.getAttribute('aria-label') ?? '';
      const label = `${form} ${name} ${field.labels?.[0]?.textContent ?? field.getAttribute('aria-label') ?? ''}`;
      const count = counts.get(label) ?? 0;
      counts.set(label, count + 1);
      return [`${label} ${count}`, field];
    });
}

const isToggle = (field: Field): field is HTMLInputElement => field.type === 'checkbox' || field.type === 'radio';
const readValue = (field: Field): string | boolean => (isToggle(field) ? field.checked : field.value);

/** React takes over a value only from an event, and ignores an event whose value it has set itself. */
function writeValue(field: Field, value: string | boolean): void {
  if (isToggle(field)) {
    if (field.checked !== value) field.click();
    return;
  }
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field) as object, 'value')?.set?.call(field, value);
  field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
}
