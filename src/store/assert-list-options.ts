import { invalid } from '../errors.ts';
import { isQualifiedName } from './assert-valid-object.ts';
import type { ListOptions } from './store.ts';

export function assertListOptions({ limit, labels = {}, fields = {} }: ListOptions): void {
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0)) {
    throw invalid('The limit of a list must be a positive integer.', [
      { pointer: '?limit', detail: 'must be at least 1' },
    ]);
  }
  for (const key of Object.keys(labels)) if (!isQualifiedName(key)) throw invalidSelectorError('?labels', key);
  for (const path of Object.keys(fields))
    if (!/^[\w-]+(\.[\w-]+)*$/.test(path)) throw invalidSelectorError('?fields', path);
}

function invalidSelectorError(pointer: string, path: string): Error {
  return invalid(
    `"${path}" is not a valid selector: it must be a ${pointer === '?labels' ? 'label key' : 'dotted path'}.`,
    [{ pointer, detail: `"${path}" is not valid` }],
  );
}
