import type { Context } from 'hono';
import { streamSSE, type SSEStreamingApi } from 'hono/streaming';
import type { Kind, StoredObject } from '../src/rules/resource.ts';
import { WatchExpired, type Store, type WatchEvent } from '../src/store/store.ts';
import type { ApiDeps, ApiEnv } from './deps.ts';

/** Keeps proxies from closing a quiet stream, and is when a revoked token ends it. */
const heartbeatMs = 15_000;

type Shown = { name: string; resourceVersion: string };

export type Followed<T extends StoredObject> = {
  kind: Kind<T>;
  watch: { namespace: string; name?: string };
  /** All that is shown now, and the version from which to watch on. */
  current: () => Promise<{ items: T[]; resourceVersion: string }>;
  /** Undefined when it is not to be shown (any more). */
  show: (object: T) => Promise<Shown | undefined>;
  /** Other objects that views are made of: tells which followed object one of them concerns. */
  also?: Concern<T>[];
};
type Concern<T> = {
  kind: Kind<StoredObject>;
  namespace: string;
  concerns: (object: StoredObject) => Promise<T | undefined>;
};

export const wantsToFollow = (c: Context): boolean => (c.req.header('accept') ?? '').includes('text/event-stream');

/**
 * Streams views as they change. Only events of the followed kind carry an id: what is resumed from it may bring a view
 * twice, and never leaves one out.
 */
export function follow<T extends StoredObject>(
  c: Context<ApiEnv>,
  { store, closing, log }: ApiDeps,
  followed: Followed<T>,
): Response {
  const admitAgain = c.get('admitAgain');
  const response = streamSSE(c, async (stream) => {
    const end = new AbortController();
    const stop = (): void => end.abort();
    stream.onAbort(stop);
    closing?.addEventListener('abort', stop, { once: true });
    if (closing?.aborted) stop();
    const heart = setInterval(() => void beat(stream, admitAgain).catch(stop), heartbeatMs);
    try {
      await run(store, followed, { stream, signal: end.signal, from: lastEventId(c) });
    } catch (error) {
      if (!end.signal.aborted)
        log.warn({ requestId: c.get('requestId'), error: String(error) }, 'A followed stream broke off');
    } finally {
      stop();
      clearInterval(heart);
      closing?.removeEventListener('abort', stop);
    }
  });
  response.headers.set('X-Accel-Buffering', 'no');
  return response;
}

async function beat(stream: SSEStreamingApi, admitAgain: () => Promise<void>): Promise<void> {
  await admitAgain();
  await stream.write(': still here\n\n');
}

function lastEventId(c: Context): string | undefined {
  const id = c.req.header('last-event-id');
  return id !== undefined && /^\d+$/.test(id) ? id : undefined;
}

type Session = { stream: SSEStreamingApi; signal: AbortSignal; from: string | undefined };

async function run<T extends StoredObject>(store: Store, followed: Followed<T>, session: Session): Promise<void> {
  let from = followed.watch.name === undefined ? session.from : undefined;
  while (!session.signal.aborted) {
    try {
      from ??= await sendCurrent(followed, session.stream);
      await watchOn(store, followed, { ...session, from });
      return;
    } catch (error) {
      if (!(error instanceof WatchExpired)) throw error;
      // What went in the meantime is told nowhere: whoever follows starts over with what comes now.
      await session.stream.writeSSE({ event: 'relist', data: '{}' });
      from = undefined;
    }
  }
}

async function sendCurrent<T extends StoredObject>(followed: Followed<T>, stream: SSEStreamingApi): Promise<string> {
  const { items, resourceVersion } = await followed.current();
  for (const item of items) await sendChanged(stream, await followed.show(item));
  // An id without data moves only the place to resume from: the middle of this list is none.
  await stream.write(`id: ${resourceVersion}\n\n`);
  return resourceVersion;
}

async function sendChanged(stream: SSEStreamingApi, shown: Shown | undefined): Promise<void> {
  if (shown) await stream.writeSSE({ event: 'changed', data: JSON.stringify(shown) });
}

async function watchOn<T extends StoredObject>(store: Store, followed: Followed<T>, session: Session): Promise<void> {
  const { stream } = session;
  const ends = new AbortController();
  const options = {
    signal: AbortSignal.any([session.signal, ends.signal]),
    ...(session.from !== undefined && { resourceVersion: session.from }),
  };
  const watchFollowed = async (): Promise<void> => {
    const events = store.watch(followed.kind, { ...followed.watch, ...options });
    for await (const event of events) await tell(followed, event, stream);
  };
  const watchOther = async ({ kind, namespace, concerns }: Concern<T>): Promise<void> => {
    for await (const { object } of store.watch(kind, { namespace, ...options })) {
      const concerned = await concerns(object);
      if (concerned) await sendChanged(stream, await followed.show(concerned));
    }
  };
  const watches = [watchFollowed(), ...(followed.also ?? []).map(watchOther)];
  try {
    await Promise.all(watches);
  } finally {
    ends.abort();
    await Promise.allSettled(watches);
  }
}

async function tell<T extends StoredObject>(
  { show }: Followed<T>,
  { type, object }: WatchEvent<T>,
  stream: SSEStreamingApi,
): Promise<void> {
  const { name, resourceVersion } = object.metadata;
  const shown = type === 'DELETED' ? undefined : await show(object);
  const event = shown ? 'changed' : 'gone';
  await stream.writeSSE({ event, data: JSON.stringify(shown ?? { name, resourceVersion }), id: resourceVersion });
}
