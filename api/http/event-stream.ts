import type { Context } from 'hono';
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';
import type { Kind, StoredObject } from '../../src/rules/resource.ts';
import { listAndWatch } from '../../src/store/list-and-watch.ts';
import type { Store, WatchEvent } from '../../src/store/store.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';

/** Keeps proxies from closing an idle stream, and bounds how long a revoked token can keep one open. */
const heartbeatIntervalMs = 15_000;

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

export const acceptsEventStream = (c: Context): boolean => (c.req.header('accept') ?? '').includes('text/event-stream');

/**
 * Streams views as they change. Only events of the source's own kind carry an id, so a resumed stream may repeat a view
 * and never misses one.
 */
export function streamEvents<T extends StoredObject>(
  c: Context<ApiEnv>,
  { store, shutdownSignal, log, streamHeartbeatMs = heartbeatIntervalMs }: ApiDeps,
  source: StreamSource<T>,
): Response {
  const reauthorize = c.get('reauthorize');
  const release = c.get('streamCounter').open(c.get('caller').user);
  const response = streamSSE(c, async (stream) => {
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    stream.onAbort(stop);
    shutdownSignal?.addEventListener('abort', stop, { once: true });
    if (shutdownSignal?.aborted) stop();
    const heartbeat = setInterval(() => void sendHeartbeat(stream, reauthorize).catch(stop), streamHeartbeatMs);
    try {
      await streamUntilClosed(store, source, { stream, signal: controller.signal, resumeFrom: findLastEventId(c) });
    } catch (error) {
      if (!controller.signal.aborted)
        log.warn({ requestId: c.get('requestId'), error: String(error) }, 'Event stream aborted');
    } finally {
      stop();
      release();
      clearInterval(heartbeat);
      shutdownSignal?.removeEventListener('abort', stop);
    }
  });
  response.headers.set('X-Accel-Buffering', 'no');
  return response;
}

async function sendHeartbeat(stream: SSEStreamingApi, reauthorize: () => Promise<void>): Promise<void> {
  await reauthorize();
  await stream.write(': keep-alive\n\n');
}

function findLastEventId(c: Context): string | undefined {
  const id = c.req.header('last-event-id');
  return id !== undefined && /^\d+$/.test(id) ? id : undefined;
}

type StreamSession = { stream: SSEStreamingApi; signal: AbortSignal; resumeFrom: string | undefined };

async function streamUntilClosed<T extends StoredObject>(
  store: Store,
  source: StreamSource<T>,
  { stream, signal, resumeFrom }: StreamSession,
): Promise<void> {
  const resourceVersion = source.watch.name === undefined ? resumeFrom : undefined;
  const watch = (version: string) => watchChanges(store, source, { stream, signal, resourceVersion: version });
  let hasItems = resourceVersion !== undefined;
  for await (const event of listAndWatch({ signal, resourceVersion, list: source.list, watch })) {
    if (event.type !== 'LISTED') {
      await sendEvent(source, event, stream);
      continue;
    }
    // Deletions during the gap are unknown, so the client has to replace its items with the snapshot that follows.
    if (hasItems) await stream.writeSSE({ event: 'relist', data: '{}' });
    await sendSnapshot(source, event, stream);
    hasItems = true;
  }
}

async function sendSnapshot<T extends StoredObject>(
  source: StreamSource<T>,
  { items, resourceVersion }: { items: T[]; resourceVersion: string },
  stream: SSEStreamingApi,
): Promise<void> {
  for (const item of items) await sendChanged(stream, await source.toView(item));
  // The id follows the whole snapshot, because a stream cannot resume from the middle of it.
  await stream.write(`id: ${resourceVersion}\n\n`);
}

async function sendChanged(stream: SSEStreamingApi, view: StreamItem | undefined): Promise<void> {
  if (view) await stream.writeSSE({ event: 'changed', data: JSON.stringify(view) });
}

type WatchSession = { stream: SSEStreamingApi; signal: AbortSignal; resourceVersion: string };

/** Yields the changes of the source's own kind, and sends the views that change with a related object. */
async function* watchChanges<T extends StoredObject>(
  store: Store,
  source: StreamSource<T>,
  { stream, signal, resourceVersion }: WatchSession,
): AsyncGenerator<WatchEvent<T>> {
  const controller = new AbortController();
  const options = { signal: AbortSignal.any([signal, controller.signal]), resourceVersion };
  const watchRelated = async ({ kind, namespace, findAffected }: RelatedSource<T>): Promise<void> => {
    for await (const { object } of store.watch(kind, { namespace, ...options })) {
      const affected = await findAffected(object);
      if (affected) await sendChanged(stream, await source.toView(affected));
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
  stream: SSEStreamingApi,
): Promise<void> {
  const { name, resourceVersion } = object.metadata;
  const view = type === 'DELETED' ? undefined : await toView(object);
  const event = view ? 'changed' : 'deleted';
  await stream.writeSSE({ event, data: JSON.stringify(view ?? { name, resourceVersion }), id: resourceVersion });
}
