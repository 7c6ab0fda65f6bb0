import type { AnyObject } from '../any-object.ts';
import type { ListOptions } from '../store.ts';

type Selection = Pick<ListOptions, 'labels' | 'fields'>;

export function matches(object: AnyObject, { labels = {}, fields = {} }: Selection): boolean {
  return (
    Object.entries(labels).every(([key, value]) => object.metadata.labels?.[key] === value) &&
    Object.entries(fields).every(([path, value]) => readFieldText(object, path) === value)
  );
}

/** Returns the value at a dotted path as text; numbers and booleans have their JSON form. */
export function readFieldText(object: AnyObject, path: string): string | undefined {
  let value: unknown = object;
  for (const part of path.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[part];
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

/** Returns the index terms of an object: its labels and the indexed fields. */
export function toIndexTerms(object: AnyObject, indexedFields: readonly string[]): string[] {
  const labels = Object.entries(object.metadata.labels ?? {}).map(toLabelTerm);
  return [
    ...labels,
    ...indexedFields.flatMap((path) => {
      const text = readFieldText(object, path);
      return text === undefined ? [] : [toFieldTerm([path, text])];
    }),
  ];
}

/** Returns the index terms that every selected object has. */
export function toSelectionTerms({ labels = {}, fields = {} }: Selection, indexedFields: readonly string[]): string[] {
  const usable = Object.entries(fields).filter(([path]) => indexedFields.includes(path));
  return [...Object.entries(labels).map(toLabelTerm), ...usable.map(toFieldTerm)];
}

const toLabelTerm = ([key, value]: [string, string]): string => `label ${key}=${value}`;
const toFieldTerm = ([path, value]: [string, string]): string => `field ${path}=${value}`;
