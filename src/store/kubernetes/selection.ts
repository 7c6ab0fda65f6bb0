import type { AnyObject } from '../any-object.ts';
import type { ListOptions } from '../store.ts';

type Selection = Pick<ListOptions, 'labels' | 'fields'>;

export function matches(object: AnyObject, { labels = {}, fields = {} }: Selection): boolean {
  return (
    Object.entries(labels).every(([key, value]) => object.metadata.labels?.[key] === value) &&
    Object.entries(fields).every(([path, value]) => fieldText(object, path) === value)
  );
}

/** The value at a dotted path as text: a number or a boolean is what it looks like in JSON. */
export function fieldText(object: AnyObject, path: string): string | undefined {
  let value: unknown = object;
  for (const part of path.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[part];
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

/** By what an object can be found without looking at all others: each of its labels, and the fields its kind names. */
export function termsOf(object: AnyObject, indexed: readonly string[]): string[] {
  const labels = Object.entries(object.metadata.labels ?? {}).map(labelTerm);
  return [
    ...labels,
    ...indexed.flatMap((path) => {
      const text = fieldText(object, path);
      return text === undefined ? [] : [fieldTerm([path, text])];
    }),
  ];
}

/** The terms of `termsOf` that everything selected has. */
export function termsIn({ labels = {}, fields = {} }: Selection, indexed: readonly string[]): string[] {
  const known = Object.entries(fields).filter(([path]) => indexed.includes(path));
  return [...Object.entries(labels).map(labelTerm), ...known.map(fieldTerm)];
}

const labelTerm = ([key, value]: [string, string]): string => `label ${key}=${value}`;
const fieldTerm = ([path, value]: [string, string]): string => `field ${path}=${value}`;
