import type { Context } from 'hono';
import type { Kind, StoredObject } from '../../src/rules/resource.ts';
import { listAndWatch } from '../../src/store/list-and-watch.ts';
import type { Store, WatchEvent } from '../../src/store/store.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { acceptedType } from './negotiate.ts';
import { openEventStream, type EventSink } from './open-event-stream.ts';

type StreamItem = { name: string; resourceVersion: string };

export type StreamSource<T extends StoredObject> = {
  kind: Kind<T>;
  watch: { namespace: string; name?: string };
  /** Lists the current objects, with the resource version to watch from. */
  list: () => Promise<{ items: T[]; resourceVersion: string }>;
  /** Returns undefined for an object that the stream does not contain (any more). */
  toView: (object: T) => Promise<StreamItem | undefined>;
  /** Other kinds that the views are computed from. */
  related?: RelatedSource<T>[];
};
type RelatedSource<T> = {
  kind: Kind<StoredObject>;
  namespace: string;
  /** Finds the object of the stream whose view changes with this related object. */
  findAffected: (object: StoredObject) => Promise<T | undefined>;
};

const streamType = 'text/event-stream';
export const acceptsEventStream = (c: Context): boolean =>
  acceptedType(c, ['application/json', streamType]) === streamType;

/**
 * Streams views as they change. Only events of the source's own kind carry an id, so a resumed stream may repeat a view
 * and never misses one.
 */
export function streamEvents<T extends StoredObject>(
  c: Context<ApiEnv>,
  deps: ApiDeps,
  source: StreamSource<T>,
): Response {
  return openEventStream(c, deps, async ({ signal, ...writer }) => {
    await streamUntilClosed(deps.store, source, { sink: writer, signal, resumeFrom: findLastEventId(c) });
  });
}

type StreamSink = Pick<EventSink, 'write' | 'send'> & {
  /** The items that the client has; unknown after a resumption, until the next list. */
  sentNames?: Set<string>;
};

function findLastEventId(c: Context): string | undefined {
  const id = c.req.header('last-event-id');
  return id !== undefined && /^\d+$/.test(id) ? id : undefined;
}

type StreamSession = { sink: StreamSink; signal: AbortSignal; resumeFrom: string | undefined };

async function streamUntilClosed<T extends StoredObject>(
  store: Store,
  source: StreamSource<T>,
  { sink, signal, resumeFrom }: StreamSession,
): Promise<void> {
  const resourceVersion = source.watch.name === undefined ? resumeFrom : undefined;
  const watch = (version: string) => watchChanges(store, source, { sink, signal, resourceVersion: version });
  let hasItems = resourceVersion !== undefined;
  for await (const event of listAndWatch({ signal, resourceVersion, list: source.list, watch })) {
    if (event.type !== 'LISTED') {
      await sendEvent(source, event, sink);
      continue;
    }
    // Deletions during the gap are unknown, so the client has to replace its items with the snapshot that follows.
    if (hasItems) await sink.send({ event: 'relist', data: {} });
    await sendSnapshot(source, event, sink);
    hasItems = true;
  }
}

async function sendSnapshot<T extends StoredObject>(
  source: StreamSource<T>,
  { items, resourceVersion }: { items: T[]; resourceVersion: string },
  sink: StreamSink,
): Promise<void> {
  sink.sentNames = new Set();
  for (const item of items) await sendChanged(sink, await source.toView(item));
  // The id follows the whole snapshot, because a stream cannot resume from the middle of it.
  await sink.write(`id: ${resourceVersion}\n\n`);
}

async function sendChanged(sink: StreamSink, view: StreamItem | undefined): Promise<void> {
  if (!view) return;
  sink.sentNames?.add(view.name);
  await sink.send({ event: 'changed', data: view });
}

type WatchSession = { sink: StreamSink; signal: AbortSignal; resourceVersion: string };

/** Yields the changes of the source's own kind, and sends the views that change with a related object. */
async function* watchChanges<T extends StoredObject>(
  store: Store,
  source: StreamSource<T>,
  { sink, signal, resourceVersion }: WatchSession,
): AsyncGenerator<WatchEvent<T>> {
  const controller = new AbortController();
  const options = { signal: AbortSignal.any([signal, controller.signal]), resourceVersion };
  const watchRelated = async ({ kind, namespace, findAffected }: RelatedSource<T>): Promise<void> => {
    for await (const { object } of store.watch(kind, { namespace, ...options })) {
      const affected = await findAffected(object);
      if (affected) await sendChanged(sink, await source.toView(affected));
    }
  };
  const relatedWatches = (source.related ?? []).map(watchRelated);
  const related = Promise.all(relatedWatches);
  related.catch(() => controller.abort());
  try {
    yield* store.watch(source.kind, { ...source.watch, ...options });
    await related;
  } finally {
    controller.abort();
    await Promise.allSettled(relatedWatches);
  }
}

async function sendEvent<T extends StoredObject>(
  { toView }: StreamSource<T>,
  { type, object }: WatchEvent<T>,
  sink: StreamSink,
): Promise<void> {
  const { name, resourceVersion } = object.metadata;
  const view = type === 'DELETED' ? undefined : await toView(object);
  if (view) sink.sentNames?.add(name);
  else if (sink.sentNames?.delete(name) === false) return;
  const event = view ? 'changed' : 'deleted';
  await sink.send({ event, data: view ?? { name, resourceVersion }, id: resourceVersion });
}
