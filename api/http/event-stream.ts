import type { Context } from 'hono';
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';
import type { Kind, StoredObject } from '../../src/rules/resource.ts';
import { listAndWatch } from '../../src/store/list-and-watch.ts';
import type { Store, WatchEvent } from '../../src/store/store.ts';
import { isServiceError, type ServiceError } from '../../src/errors.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { acceptedType } from './negotiate.ts';

/** Keeps proxies from closing an idle stream, and bounds how long a revoked token can keep one open that sends nothing. */
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

const streamType = 'text/event-stream';
export const acceptsEventStream = (c: Context): boolean =>
  acceptedType(c, ['application/json', streamType]) === streamType;

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
    const { signal } = controller;
    const sink = createSink(stream, { signal, reauthorize });
    const end = async (error: unknown): Promise<void> => {
      if (signal.aborted) return;
      stop();
      if (isServiceError(error)) await sendClosed(stream, error);
      else log.warn({ requestId: c.get('requestId'), error: String(error) }, 'Event stream aborted');
    };
    const heartbeat = setInterval(() => void sink.write(': keep-alive\n\n').catch(end), streamHeartbeatMs);
    try {
      await streamUntilClosed(store, source, { sink, signal, resumeFrom: findLastEventId(c) });
    } catch (error) {
      await end(error);
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

type EventSink = {
  /** The items that the client has; unknown after a resumption, until the next list. */
  sentNames?: Set<string>;
  write: (text: string) => Promise<void>;
  send: (event: { event: string; data: object; id?: string }) => Promise<void>;
};

/** Authorizes the caller again before everything that is written: nothing follows a revocation or the loss of a role. */
function createSink(
  stream: SSEStreamingApi,
  { signal, reauthorize }: { signal: AbortSignal; reauthorize: () => Promise<void> },
): EventSink {
  const write = async (send: () => Promise<unknown>): Promise<void> => {
    await reauthorize();
    if (!signal.aborted) await send();
  };
  return {
    write: async (text) => await write(async () => await stream.write(text)),
    send: async ({ data, ...event }) =>
      await write(async () => await stream.writeSSE({ ...event, data: JSON.stringify(data) })),
  };
}

const sendClosed = async (stream: SSEStreamingApi, { reason, message }: ServiceError): Promise<void> =>
  await stream.writeSSE({ event: 'closed', data: JSON.stringify({ reason, detail: message }) });

function findLastEventId(c: Context): string | undefined {
  const id = c.req.header('last-event-id');
  return id !== undefined && /^\d+$/.test(id) ? id : undefined;
}

type StreamSession = { sink: EventSink; signal: AbortSignal; resumeFrom: string | undefined };

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
  sink: EventSink,
): Promise<void> {
  sink.sentNames = new Set();
  for (const item of items) await sendChanged(sink, await source.toView(item));
  // The id follows the whole snapshot, because a stream cannot resume from the middle of it.
  await sink.write(`id: ${resourceVersion}\n\n`);
}

async function sendChanged(sink: EventSink, view: StreamItem | undefined): Promise<void> {
  if (!view) return;
  sink.sentNames?.add(view.name);
  await sink.send({ event: 'changed', data: view });
}

type WatchSession = { sink: EventSink; signal: AbortSignal; resourceVersion: string };

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
  sink: EventSink,
): Promise<void> {
  const { name, resourceVersion } = object.metadata;
  const view = type === 'DELETED' ? undefined : await toView(object);
  if (view) sink.sentNames?.add(name);
  else if (sink.sentNames?.delete(name) === false) return;
  const event = view ? 'changed' : 'deleted';
  await sink.send({ event, data: view ?? { name, resourceVersion }, id: resourceVersion });
}
