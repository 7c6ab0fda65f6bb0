import { invalid } from '../../src/errors.ts';
import type { Kind, StoredObject } from '../../src/rules/resource.ts';
import type { ListOptions, Store } from '../../src/store/store.ts';
import type { PageQuery } from './views.ts';

/** Reads one page from the store, without the resource version that only a watch needs. */
export async function readPage<T extends StoredObject>(
  store: Store,
  kind: Kind<T>,
  { limit, continue: token, ...filter }: PageQuery & Omit<ListOptions, 'limit' | 'continue'>,
): Promise<{ items: T[]; continue?: string }> {
  const page = await store.list(kind, { ...filter, limit, ...(token !== undefined && { continue: token }) });
  return page.continue === undefined ? { items: page.items } : { items: page.items, continue: page.continue };
}

/** Paginates a list that was computed in memory; `continue` is the key of the last item of the previous page. */
export function paginate<T>(
  items: readonly T[],
  getKey: (item: T) => string,
  query: PageQuery,
): { items: T[]; continue?: string } {
  const last = query.continue === undefined ? -1 : items.findIndex((item) => getKey(item) === query.continue);
  if (last === -1 && query.continue !== undefined)
    throw invalid('The list has changed since the previous page.', [
      { pointer: '?continue', detail: 'is not in the list any more; list again without it' },
    ]);
  const page = items.slice(last + 1, last + 1 + query.limit);
  const lastOfPage = page.at(-1);
  return lastOfPage !== undefined && last + 1 + query.limit < items.length
    ? { items: page, continue: getKey(lastOfPage) }
    : { items: page };
}
