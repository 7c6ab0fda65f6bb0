import { NamespaceKind } from '../../kinds/kubernetes.ts';
import type { Kind, StoredObject } from '../../rules/resource.ts';
import type { AnyObject } from '../any-object.ts';
import { encodePageToken, type PagePosition } from '../page-token.ts';
import { invalidPageError } from '../store-errors.ts';
import type { ListOptions, Page, Ref } from '../store.ts';
import { ApiServerError, toServiceError } from './api-error.ts';
import type { ApiServer } from './api-server.ts';
import { readAll, readPart } from './read.ts';
import { matches } from './selection.ts';
import { compareNames } from './sorted-names.ts';

type PageRequest = {
  kind: Kind<StoredObject>;
  options: ListOptions;
  query: string;
  after: PagePosition | undefined;
};

/** Reads a page from the API server. */
export async function readPage(server: ApiServer, request: PageRequest): Promise<Page<AnyObject>> {
  const { kind, options } = request;
  const read = isPagedByServer(request) ? readServerPage(server, request) : selectPage(server, request);
  return await read.catch((error: unknown) => {
    if (error instanceof ApiServerError && error.code === 410)
      throw invalidPageError('too much has changed since the previous page');
    throw toServiceError(error, kind, { namespace: options.namespace ?? '', name: '' });
  });
}

/**
 * Returns whether the pages of the API server are those of the store. It sorts namespaces differently, may return
 * fewer objects than selected, and does not continue after a page of the informer.
 */
function isPagedByServer({ kind, options, after }: PageRequest): boolean {
  const { limit, namespace, labels, fields } = options;
  // Only Namespaces are in no namespace; for other kinds, an empty one stands for all.
  const isOneNamespace = namespace !== undefined && (namespace !== '' || kind.kind === NamespaceKind.kind);
  const isSelected = labels !== undefined || fields !== undefined;
  return limit !== undefined && isOneNamespace && !isSelected && (!after || after.next !== undefined);
}

async function readServerPage(server: ApiServer, { kind, options, query, after }: PageRequest) {
  const { namespace, limit = 0 } = options;
  const read = async (count: number, next: string | undefined) =>
    await readPart(server, kind, {
      ...(namespace !== undefined && { namespace }),
      version: toVersion(options, after),
      limit: count,
      next,
    });
  const page = await read(limit, after?.next);
  while (page.next !== undefined && page.items.length < limit) {
    const { items, next } = await read(limit - page.items.length, page.next);
    page.items.push(...items);
    if (next === undefined) delete page.next;
    else page.next = next;
  }
  const { items, resourceVersion, next } = page;
  return next === undefined ? { items, resourceVersion } : toPage({ items, resourceVersion }, query, next);
}

/** Reads all objects, of which the page is a part. */
async function selectPage(
  server: ApiServer,
  { kind, options: { limit, ...options }, query, after }: PageRequest,
): Promise<Page<AnyObject>> {
  const version = toVersion(options, after);
  const all = await readAll(server, kind, { ...options, ...(version !== undefined && { version }) });
  const { resourceVersion } = all;
  const isAfter = ({ metadata }: AnyObject): boolean => after === undefined || compareRefs(metadata, after) > 0;
  const items = all.items
    .filter((object) => isAfter(object) && matches(object, options))
    .toSorted((one, other) => compareRefs(one.metadata, other.metadata));
  const pageItems = items.slice(0, limit);
  if (pageItems.length === items.length) return { items, resourceVersion };
  return toPage({ items: pageItems, resourceVersion }, query);
}

const toVersion = ({ at }: ListOptions, after: PagePosition | undefined): number | undefined =>
  after?.version ?? (at === undefined ? undefined : Number(at));

function toPage(page: Page<AnyObject>, query: string, next?: string): Page<AnyObject> {
  const { namespace = '', name = '' } = page.items.at(-1)?.metadata ?? {};
  const position = { version: Number(page.resourceVersion), namespace, name };
  return { ...page, continue: encodePageToken(query, { ...position, ...(next !== undefined && { next }) }) };
}

function compareRefs(one: Ref, other: Ref): number {
  return compareNames(one.namespace, other.namespace) || compareNames(one.name, other.name);
}
