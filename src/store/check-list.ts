import { invalid } from '../errors.ts';
import { isQualifiedName } from './check-object.ts';
import type { ListOptions } from './store.ts';

/** Refuses what no list can be asked for. */
export function checkList({ limit, labels = {}, fields = {} }: ListOptions): void {
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0)) {
    throw invalid('The limit of a list must be a whole number above 0.', [
      { pointer: '?limit', detail: 'must be at least 1' },
    ]);
  }
  for (const key of Object.keys(labels)) if (!isQualifiedName(key)) throw unknownSelector('?labels', key);
  for (const path of Object.keys(fields)) if (!/^[\w-]+(\.[\w-]+)*$/.test(path)) throw unknownSelector('?fields', path);
}

function unknownSelector(pointer: string, path: string): Error {
  return invalid(
    `"${path}" cannot be selected by: it is not a ${pointer === '?labels' ? 'label key' : 'dotted path'}.`,
    [{ pointer, detail: `"${path}" is not one` }],
  );
}
