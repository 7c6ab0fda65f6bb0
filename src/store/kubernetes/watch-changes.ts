import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind, StoredObject } from '../../rules/resource.ts';
import type { AnyObject } from '../any-object.ts';
import { WatchExpiredError, type WatchOptions } from '../store.ts';
import { toBackoffMs, type ApiServer } from './api-server.ts';
import { collectionPath } from './paths.ts';
import { toStoredObject, toSelectorQuery } from './read.ts';
import { ApiServerError, type Status } from './api-error.ts';

/** A bookmark reports that no other change exists up to its version. */
export type WatchedChange = {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  object: AnyObject;
  textLength: number;
};

type WatchChangesOptions = Omit<WatchOptions, 'resourceVersion'> & {
  resourceVersion: string;
  /** Called when the watch connects and when it disconnects. */
  onConnectionChange?: (isConnected: boolean) => void;
};

/** Yields the changes after a version until the signal aborts. A lost connection resumes at the last version. */
export async function* watchChanges(
  server: ApiServer,
  kind: Kind<StoredObject>,
  { namespace, name, labels, signal, onConnectionChange, ...options }: WatchChangesOptions,
): AsyncGenerator<WatchedChange> {
  const selection = { ...(labels && { labels }), ...(name !== undefined && { fields: { 'metadata.name': name } }) };
  let { resourceVersion } = options;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      const query = { ...toSelectorQuery(kind, selection), watch: true, allowWatchBookmarks: true, resourceVersion };
      const lines = await server.streamLines(collectionPath(kind, namespace), query, signal);
      onConnectionChange?.(true);
      for await (const line of lines) {
        const change = parseChange(kind, line);
        ({ resourceVersion } = change.object.metadata);
        attempt = 0;
        yield change;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ApiServerError && error.code === 410)
        throw new WatchExpiredError(
          `Version ${resourceVersion} of ${kind.plural} is no longer kept. List again and watch from the new version.`,
        );
    } finally {
      onConnectionChange?.(false);
    }
    await sleep(toBackoffMs(attempt), undefined, { signal }).catch(() => undefined);
  }
}

function parseChange(kind: Kind<StoredObject>, line: string): WatchedChange {
  const { type, object } = JSON.parse(line) as WatchedChange | { type: 'ERROR'; object: Status & { code?: number } };
  if (type === 'ERROR') throw new ApiServerError(object.code ?? 500, object);
  return { type, object: toStoredObject(kind, object), textLength: line.length };
}
