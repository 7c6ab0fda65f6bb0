import { hash } from 'node:crypto';
import type { Context } from 'hono';
import { ServiceError } from '../../src/errors.ts';
import type { Kind, StoredObject } from '../../src/rules/resource.ts';
import type { ListOptions, Store } from '../../src/store/store.ts';
import type { ListQuery, Sort } from './list-query.ts';
import type { PageQuery } from './views.ts';

/** The position of an item in its list. No two items have the same position. */
type Position = readonly (string | number)[];
type Order<T> = { toPosition: (item: T) => Position; descending?: boolean };
type Page<T> = { items: T[]; continue?: string };

const orders: Record<Sort, Order<StoredObject>> = {
  name: { toPosition: ({ metadata }) => [metadata.name] },
  '-name': { toPosition: ({ metadata }) => [metadata.name], descending: true },
  createdAt: { toPosition: ({ metadata }) => [metadata.creationTimestamp, metadata.name] },
  '-createdAt': { toPosition: ({ metadata }) => [metadata.creationTimestamp, metadata.name], descending: true },
};

type Selection<T> = Pick<ListOptions, 'namespace' | 'labels' | 'fields'> & {
  query: PageQuery & Partial<Pick<ListQuery, 'sort'>>;
  /** Conditions that the store does not index. */
  matches?: (object: T) => boolean;
  /** Chooses among all that match. */
  choose?: ((objects: T[]) => T[]) | undefined;
};

/** Reads one page of the resources of a kind, in the order of `sort`. */
export async function readPage<T extends StoredObject>(
  c: Context,
  store: Store,
  kind: Kind<T>,
  { query, matches, choose = (objects) => objects, ...selection }: Selection<T>,
): Promise<Page<T>> {
  const { items } = await store.list(kind, selection);
  return paginate(c, choose(matches ? items.filter(matches) : items), { ...orders[query.sort ?? 'name'], query });
}

/**
 * Sorts the items and returns one page. `continue` is the position of the last item, so the next page begins after it
 * although that item was deleted or others were created.
 */
export function paginate<T>(
  c: Context,
  items: readonly T[],
  { toPosition, descending = false, query }: Order<T> & { query: PageQuery },
): Page<T> {
  const after = query.continue === undefined ? undefined : decodePosition(c, query.continue);
  const compare = (one: Position, other: Position): number => comparePositions(one, other) * (descending ? -1 : 1);
  const remaining = items.map((item) => ({ item, position: toPosition(item) }));
  const first = selectFirst(
    after ? remaining.filter(({ position }) => compare(position, after) > 0) : remaining,
    query.limit + 1,
    (one, other) => compare(one.position, other.position),
  );
  const page = first.slice(0, query.limit);
  const last = page.at(-1);
  const isLastPage = first.length <= query.limit || last === undefined;
  const found = page.map(({ item }) => item);
  return isLastPage ? { items: found } : { items: found, continue: encodePosition(c, last.position) };
}

function comparePositions(one: Position, other: Position): number {
  for (const [index, value] of one.entries()) {
    const otherValue = other[index] ?? '';
    if (value !== otherValue) return value < otherValue ? -1 : 1;
  }
  return 0;
}

/** Sorts only as many items as a page has, because a list may have many thousands. */
function selectFirst<T>(items: readonly T[], count: number, compare: (one: T, other: T) => number): T[] {
  const first: T[] = [];
  for (const item of items) {
    const last = first.at(-1);
    if (first.length === count && last !== undefined && compare(item, last) >= 0) continue;
    let low = 0;
    let high = first.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(first[middle] as T, item) < 0) low = middle + 1;
      else high = middle;
    }
    first.splice(low, 0, item);
    if (first.length > count) first.pop();
  }
  return first;
}

export function encodePosition(c: Context, position: Position): string {
  return Buffer.from(JSON.stringify([position, digestList(c, position)])).toString('base64url');
}

export function decodePosition(c: Context, token: string): Position {
  try {
    const [position, digest] = JSON.parse(Buffer.from(token, 'base64url').toString()) as [unknown, string];
    if (isPosition(position) && digest === digestList(c, position)) return position;
  } catch {
    // A token that is not JSON is not of this API.
  }
  throw new ServiceError('expired-page', 'The page cannot be read: the token belongs to another list or order.', {
    errors: [{ pointer: '?continue', detail: 'is not a token of this list; list again without it' }],
  });
}

/** The digest has no secret, so a caller can compute that of any value. */
const isPosition = (value: unknown): value is Position =>
  Array.isArray(value) && value.every((part) => typeof part === 'string' || typeof part === 'number');

/** Binds a position to its list, filter and order, in which alone it has a meaning. */
function digestList(c: Context, position: Position): string {
  const { limit: _limit, continue: _continue, ...filter } = c.req.query();
  const filters = Object.entries(filter).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return hash('sha256', JSON.stringify([c.req.path, filters, position]), 'base64url').slice(0, 16);
}
