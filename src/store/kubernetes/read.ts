import type { Kind, StoredObject } from '../../rules/resource.ts';
import type { AnyObject } from '../any-object.ts';
import type { ListOptions, Ref } from '../store.ts';
import type { ApiServer, Query } from './api-server.ts';
import { collectionPath, objectPath } from './paths.ts';
import { ApiServerError } from './api-error.ts';

type RawObject = AnyObject & {
  metadata: { namespace?: string; managedFields?: { manager?: string }[]; selfLink?: string };
};

export async function readRaw(server: ApiServer, kind: Kind<StoredObject>, ref: Ref): Promise<RawObject | undefined> {
  try {
    return await server.request<RawObject>({ method: 'GET', path: objectPath(kind, ref) });
  } catch (error) {
    if (error instanceof ApiServerError && error.code === 404) return undefined;
    throw error;
  }
}

/** Drops Kubernetes' bookkeeping, and adds the kind that listed objects of built-in kinds lack and the namespace that a Namespace lacks. */
export function toStoredObject({ apiVersion, kind }: Kind<StoredObject>, raw: RawObject): AnyObject {
  const { managedFields: _m, selfLink: _s, ...metadata } = raw.metadata;
  return { ...raw, apiVersion, kind, metadata: { ...metadata, namespace: metadata.namespace ?? '' } };
}

/** Returns whether the write with this field manager was applied. */
export function hasFieldManager(raw: RawObject, fieldManager: string): boolean {
  return raw.metadata.managedFields?.some(({ manager }) => manager === fieldManager) ?? false;
}

/** Larger responses would be many megabytes. */
const partSizeMax = 500;

export type Snapshot = { items: AnyObject[]; resourceVersion: string };
type Selection = Pick<ListOptions, 'namespace' | 'labels' | 'fields'>;

/** Reads all selected objects, at the latest version or at a given one. */
export async function readAll(
  server: ApiServer,
  kind: Kind<StoredObject>,
  options: Selection & { version?: number },
): Promise<Snapshot> {
  const items: AnyObject[] = [];
  for (let next: string | undefined; ;) {
    const part = await readPart(server, kind, { ...options, limit: partSizeMax, ...(next !== undefined && { next }) });
    items.push(...part.items);
    if (part.next === undefined) return { items, resourceVersion: part.resourceVersion };
    next = part.next;
  }
}

type PartOptions = Selection & {
  version?: number | undefined;
  limit: number;
  /** The `next` of the part before, which has the version. */
  next?: string | undefined;
};

/** Reads the selected objects in one response, with the token for the others if there are more. */
export async function readPart(
  server: ApiServer,
  kind: Kind<StoredObject>,
  { version, limit, next, ...selection }: PartOptions,
): Promise<Snapshot & { next?: string }> {
  const snapshot =
    version === undefined || next !== undefined ? {} : { resourceVersion: version, resourceVersionMatch: 'Exact' };
  const query: Query = {
    ...toSelectorQuery(kind, selection),
    ...snapshot,
    limit: Math.min(limit, partSizeMax),
    ...(next !== undefined && { continue: next }),
  };
  const path = collectionPath(kind, selection.namespace);
  const { items, metadata } = await server
    .request<{ items: RawObject[]; metadata: { resourceVersion: string; continue?: string } }>({
      method: 'GET',
      path,
      query,
    })
    .catch(emptyWithoutNamespace);
  return {
    items: items.map((item) => toStoredObject(kind, item)),
    resourceVersion: metadata.resourceVersion,
    ...(metadata.continue && { next: metadata.continue }),
  };
}

/** Reads the latest version of the cluster. */
export async function readVersion(server: ApiServer, kind: Kind<StoredObject>): Promise<number> {
  const path = collectionPath(kind);
  const query = { limit: 1 };
  const page = await server.request<{ metadata: { resourceVersion: string } }>({ method: 'GET', path, query });
  return Number(page.metadata.resourceVersion);
}

/** An account with access to some namespaces gets a 404 for a missing namespace; others get an empty list. */
function emptyWithoutNamespace(error: unknown): {
  items: RawObject[];
  metadata: { resourceVersion: string; continue?: string };
} {
  if (error instanceof ApiServerError && error.isNamespaceMissing)
    return { items: [], metadata: { resourceVersion: '0' } };
  throw error;
}

/** Builds the selectors that the API server supports. The caller must apply the remaining fields itself. */
export function toSelectorQuery(kind: Kind<StoredObject>, { labels = {}, fields = {} }: Selection): Query {
  const selectable = Object.entries(fields).filter(([path]) => isServerSelectable(kind, path));
  const text = (pairs: [string, string][]): string => pairs.map(([key, value]) => `${key}=${value}`).join(',');
  return {
    labelSelector: text(Object.entries(labels)) || undefined,
    fieldSelector:
      text(selectable.map(([path, value]) => [path, value.replace(/[\\,=]/g, String.raw`\$&`)])) || undefined,
  };
}

const isServerSelectable = (kind: Kind<StoredObject>, path: string): boolean =>
  path === 'metadata.name' || (kind.selectableFields?.includes(path) ?? false);
