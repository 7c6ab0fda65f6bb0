type Init = Omit<RequestInit, 'headers'> & { headers: Record<string, string> };
type Send = (url: string, init: Init) => Promise<unknown>;

/** A person who sends the same request later than this means it as another one, for example after a rollback. */
const repeatMs = 10 * 60_000;

/**
 * Makes two attempts at the same change have one effect: a second click while the first request is on its way gets its
 * response, and a request whose outcome is unknown is repeated with its `Idempotency-Key` for ten minutes.
 */
export function createWriteOnce(send: Send, now: () => number = Date.now): Send {
  const running = new Map<string, Promise<unknown>>();
  const keys = new Map<string, { key: string; sentAt: number }>();
  return async (url, init) => {
    const change = JSON.stringify([init.method, url, init.body]);
    const first = running.get(change);
    if (first) return await first;
    const sentAt = now();
    const known = keys.get(change);
    const key = known && sentAt - known.sentAt < repeatMs ? known.key : createKey();
    keys.set(change, { key, sentAt });
    const headers = { ...init.headers, ...(init.method === 'POST' && { 'Idempotency-Key': key }) };
    const response = send(url, { ...init, headers });
    running.set(change, response);
    try {
      const result = await response;
      keys.delete(change);
      return result;
    } catch (error) {
      if (isFinal(error)) keys.delete(change);
      throw error;
    } finally {
      running.delete(change);
    }
  };
}

/** Reports whether the API has rejected the change; otherwise it may have been applied. */
function isFinal(error: unknown): boolean {
  const { status = 0, reason = '' } = error as { status?: number; reason?: string };
  return status >= 400 && status < 500 && reason !== 'request-in-progress';
}

/** Pages that are served by plain http have no `crypto.randomUUID`. */
const createKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
