import type { Context } from 'hono';
import { isServiceError } from '../../src/errors.ts';
import { watchAccess } from '../auth/watch-access.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { EventBody } from './event-body.ts';

/** Keeps proxies from closing an idle stream. */
const heartbeatIntervalMs = 15_000;
/** The time after which a client that does not read loses its connection. */
const stallTimeoutMs = 30_000;

const timerMsMax = 2 ** 31 - 1;

type StreamEvent = { event: string; data: object; id?: string | undefined };
export type EventSink = {
  /** Aborted when the stream ends for any reason. */
  signal: AbortSignal;
  /** Authorizes the caller again, then writes: nothing follows a revocation or the loss of a role. */
  write: (text: string) => Promise<void>;
  send: (event: StreamEvent) => Promise<void>;
};
type StreamOptions = {
  /** Returns the id that a client may resume from now, if it has been sent everything before. */
  findId?: () => string | undefined;
};

/**
 * Responds with server-sent events until `run` ends, the client leaves, the credentials end or the process shuts down.
 * A client that does not read is disconnected.
 */
export function openEventStream(
  c: Context<ApiEnv>,
  { stopSignal, log, ...deps }: ApiDeps,
  run: (sink: EventSink) => Promise<void>,
  { findId = () => undefined }: StreamOptions = {},
): Response {
  // The response to a HEAD has no body that its client could read or close.
  if (c.req.method === 'HEAD') return c.body(null, 200, streamHeaders);
  const { streamHeartbeatMs = heartbeatIntervalMs, streamStallMs = stallTimeoutMs } = deps;
  const reauthorize = c.get('reauthorize');
  const controller = new AbortController();
  const { signal } = controller;
  const stop = (): void => controller.abort();
  const release = c.get('streamCounter').open(c.get('caller').user);
  const body = new EventBody(stop);
  signal.addEventListener('abort', () => body.close());
  const write = async (text: string): Promise<void> => {
    await reauthorize();
    if (!signal.aborted) await body.write(text);
  };
  const end = (error: unknown): void => {
    if (signal.aborted) return;
    if (isServiceError(error))
      void body.write(
        formatEvent({ event: 'closed', data: JSON.stringify({ reason: error.reason, detail: error.message }) }),
      );
    else log.warn({ requestId: c.get('requestId'), error: String(error) }, 'Event stream aborted');
    stop();
  };
  const drop = (): void => {
    log.warn({ requestId: c.get('requestId') }, 'Event stream dropped: the client does not read');
    stop();
    // The server notices the end of the body only after the client has read what it was sent.
    (c.env as { outgoing?: { destroy: () => void } } | undefined)?.outgoing?.destroy();
  };
  const beat = async (): Promise<void> => {
    if (body.stalledMs >= streamStallMs) return drop();
    if (body.stalledMs > 0) return;
    const id = findId();
    await write(`: keep-alive\n${id === undefined ? '' : `id: ${id}\n`}\n`);
  };
  const check = (): void => void reauthorize().catch(end);
  const follow = async (): Promise<void> => {
    const heartbeat = setInterval(() => void beat().catch(end), streamHeartbeatMs);
    const unsubscribe = watchAccess(c, check);
    const expiry = callAtExpiry(c, deps.now(), check);
    stopSignal?.addEventListener('abort', stop, { once: true });
    if (stopSignal?.aborted) stop();
    try {
      await run({
        signal,
        write,
        send: async (event) => await write(formatEvent({ ...event, data: JSON.stringify(event.data) })),
      });
    } catch (error) {
      end(error);
    } finally {
      stop();
      release();
      unsubscribe();
      clearInterval(heartbeat);
      clearTimeout(expiry);
      stopSignal?.removeEventListener('abort', stop);
    }
  };
  void follow();
  return c.body(body.stream, 200, streamHeaders);
}

/** A session that is used until it expires ends at that moment; a timer cannot wait for more than 24 days. */
function callAtExpiry(c: Context<ApiEnv>, now: Date, check: () => void): NodeJS.Timeout | undefined {
  const { expiresAt } = c.get('credential').spec;
  if (expiresAt === undefined) return undefined;
  const delayMs = Date.parse(expiresAt) - now.getTime();
  return delayMs < timerMsMax ? setTimeout(check, delayMs) : undefined;
}

const streamHeaders = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache', 'X-Accel-Buffering': 'no' };

/** Formats an event whose data is JSON text. */
export const formatEvent = ({ event, data, id }: { event: string; data: string; id?: string | undefined }): string =>
  `event: ${event}\ndata: ${data}\n${id === undefined ? '' : `id: ${id}\n`}\n`;
