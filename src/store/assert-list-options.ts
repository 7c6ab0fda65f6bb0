import { invalid } from '../errors.ts';
import { isLabelValue, isQualifiedName } from './assert-valid-object.ts';
import type { ListOptions } from './store.ts';

export function assertListOptions({ limit, labels = {}, fields = {} }: ListOptions): void {
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0)) {
    throw invalid('The limit of a list must be a positive integer.', [
      { pointer: '?limit', detail: 'must be at least 1' },
    ]);
  }
  for (const [key, value] of Object.entries(labels)) {
    if (!isQualifiedName(key)) throw invalidSelectorError('?labels', key);
    // The API server takes selectors as one text, in which a comma in a value would begin another selector.
    if (!isLabelValue(value)) throw invalidSelectorError('?labels', `${key}=${value}`);
  }
  for (const path of Object.keys(fields))
    if (!/^[\w-]+(\.[\w-]+)*$/.test(path)) throw invalidSelectorError('?fields', path);
}

function invalidSelectorError(pointer: string, path: string): Error {
  return invalid(
    `"${path}" is not a valid selector: it must be a ${pointer === '?labels' ? 'label' : 'dotted path'}.`,
    [{ pointer, detail: `"${path}" is not valid` }],
  );
}
