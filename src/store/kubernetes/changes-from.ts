import { setTimeout as sleep } from 'node:timers/promises';
import type { Kind, StoredObject } from '../../rules/resource.ts';
import type { AnyObject } from '../any-object.ts';
import { WatchExpired, type WatchOptions } from '../store.ts';
import { pauseBefore, type ApiServer } from './api-server.ts';
import { collectionPath } from './paths.ts';
import { clean, selectors } from './read.ts';
import { Refused, type Status } from './refused.ts';

/** A bookmark says that nothing else has happened up to its version. */
export type Heard = { type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; object: AnyObject };

type Options = Omit<WatchOptions, 'resourceVersion'> & {
  resourceVersion: string;
  /** Told when the API server begins to tell, and when it has ceased to. */
  listening?: (listens: boolean) => void;
};

/** What happens after a version, for as long as the signal lets it: a watch that breaks off is resumed where it was. */
export async function* changesFrom(
  server: ApiServer,
  kind: Kind<StoredObject>,
  { namespace, name, labels, signal, listening, ...options }: Options,
): AsyncGenerator<Heard> {
  const selected = { ...(labels && { labels }), ...(name !== undefined && { fields: { 'metadata.name': name } }) };
  let { resourceVersion } = options;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      const query = { ...selectors(kind, selected), watch: true, allowWatchBookmarks: true, resourceVersion };
      const lines = await server.follow(collectionPath(kind, namespace), query, signal);
      listening?.(true);
      for await (const line of lines) {
        const heard = heardIn(kind, line);
        ({ resourceVersion } = heard.object.metadata);
        attempt = 0;
        yield heard;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused && error.code === 410)
        throw new WatchExpired(
          `Version ${resourceVersion} of ${kind.plural} is not kept any more. List again and watch from there.`,
        );
    } finally {
      listening?.(false);
    }
    await sleep(pauseBefore(attempt), undefined, { signal }).catch(() => undefined);
  }
}

function heardIn(kind: Kind<StoredObject>, line: string): Heard {
  const { type, object } = JSON.parse(line) as Heard | { type: 'ERROR'; object: Status & { code?: number } };
  if (type === 'ERROR') throw new Refused(object.code ?? 500, object);
  return { type, object: clean(kind, object) };
}
