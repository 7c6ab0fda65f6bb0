import type { Kind, StoredObject } from '../../rules/resource.ts';
import type { AnyObject } from '../any-object.ts';
import type { ListOptions, Ref } from '../store.ts';
import type { ApiServer, Query } from './api-server.ts';
import { collectionPath, objectPath } from './paths.ts';
import { Refused } from './refused.ts';

type Raw = AnyObject & { metadata: { managedFields?: { manager?: string }[]; selfLink?: string } };

/** An object as the API server has it now; undefined when there is none. */
export async function readRaw(server: ApiServer, kind: Kind<StoredObject>, ref: Ref): Promise<Raw | undefined> {
  try {
    return await server.ask<Raw>({ method: 'GET', path: objectPath(kind, ref) });
  } catch (error) {
    if (error instanceof Refused && error.code === 404) return undefined;
    throw error;
  }
}

/** Without Kubernetes' own notes of who wrote what; objects in lists of built-in kinds do not say their kind. */
export function clean({ apiVersion, kind }: Kind<StoredObject>, raw: Raw): AnyObject {
  const { managedFields: _m, selfLink: _s, ...metadata } = raw.metadata;
  return { ...raw, apiVersion, kind, metadata };
}

/** Whether the write that carried this name is part of what the object is now. */
export function wroteIt(raw: Raw, mark: string): boolean {
  return raw.metadata.managedFields?.some(({ manager }) => manager === mark) ?? false;
}

/** What an API server can answer to at once: more would be many megabytes in one piece. */
const chunk = 500;

export type Snapshot = { items: AnyObject[]; resourceVersion: string };
type Selected = Pick<ListOptions, 'namespace' | 'labels' | 'fields'>;

/** Everything selected, as it is now or as it was at that version. */
export async function readAll(
  server: ApiServer,
  kind: Kind<StoredObject>,
  { version, ...selected }: Selected & { version?: number },
): Promise<Snapshot> {
  const items: AnyObject[] = [];
  const at = version === undefined ? {} : { resourceVersion: version, resourceVersionMatch: 'Exact' };
  const query: Query = { ...selectors(kind, selected), ...at, limit: chunk };
  for (;;) {
    const page = await server
      .ask<{ items: Raw[]; metadata: { resourceVersion: string; continue?: string } }>({
        method: 'GET',
        path: collectionPath(kind, selected.namespace),
        query,
      })
      .catch(emptyWithoutNamespace);
    for (const item of page.items) items.push(clean(kind, item));
    if (!page.metadata.continue) return { items, resourceVersion: page.metadata.resourceVersion };
    delete query['resourceVersion'];
    delete query['resourceVersionMatch'];
    query['continue'] = page.metadata.continue;
  }
}

/** An account with rights in some namespaces is told that there is no such namespace; others that it has no objects. */
function emptyWithoutNamespace(error: unknown): {
  items: Raw[];
  metadata: { resourceVersion: string; continue?: string };
} {
  if (error instanceof Refused && error.withoutNamespace) return { items: [], metadata: { resourceVersion: '0' } };
  throw error;
}

/** What the API server can select by itself; the rest is for the reader. */
export function selectors(kind: Kind<StoredObject>, { labels = {}, fields = {} }: Selected): Query {
  const served = Object.entries(fields).filter(([path]) => isServed(kind, path));
  const text = (pairs: [string, string][]): string => pairs.map(([key, value]) => `${key}=${value}`).join(',');
  return {
    labelSelector: text(Object.entries(labels)) || undefined,
    fieldSelector: text(served.map(([path, value]) => [path, value.replace(/[\\,=]/g, String.raw`\$&`)])) || undefined,
  };
}

const isServed = (kind: Kind<StoredObject>, path: string): boolean =>
  path === 'metadata.name' || (kind.selectable?.includes(path) ?? false);
