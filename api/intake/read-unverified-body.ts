import { ServiceError } from '../../src/errors.ts';
import type { ByteBudget } from './byte-budget.ts';

export type UnverifiedBodyLimits = {
  budget: ByteBudget;
  bodyBytesMax: number;
  /** The code host closes the connection after ten seconds; a slower sender only holds memory. */
  timeoutMs?: number;
};

/** A body and a function that ends its share of the budget, once its signature is decided. */
export type UnverifiedBody = { body: Buffer; release: () => void };

/** Throws for a declared length that is too large, or does not fit the budget while `heldBytes` of it are held. */
export function assertFits({ budget, bodyBytesMax }: UnverifiedBodyLimits, bodyBytes: number, heldBytes = 0): void {
  if (bodyBytes > bodyBytesMax) throw tooLargeError(bodyBytesMax);
  if (!budget.fits(bodyBytes, heldBytes)) throw overloadedError();
}

/** Reads a body of an unknown sender, and shows each part to `onPart` while the next one is on its way. */
export async function readUnverifiedBody(
  request: Request,
  limits: UnverifiedBodyLimits,
  onPart: (part: Uint8Array) => void,
): Promise<UnverifiedBody> {
  const { budget, timeoutMs = 10_000 } = limits;
  const parts: Uint8Array[] = [];
  let heldBytes = 0;
  let receivedBytes = 0;
  const release = (): void => {
    budget.release(heldBytes);
    heldBytes = 0;
  };
  const hold = (bodyBytes: number): void => {
    if (bodyBytes <= heldBytes) return;
    assertFits(limits, bodyBytes, heldBytes);
    budget.hold(bodyBytes - heldBytes);
    heldBytes = bodyBytes;
  };
  // A declared length is held before any byte is read, so that a flood is refused at its headers.
  hold(Number(request.headers.get('content-length') ?? 0));
  const reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void reader?.cancel().catch(() => {});
  }, timeoutMs);
  try {
    for (;;) {
      const next = await reader?.read();
      if (!next || next.done) break;
      const { value } = next;
      receivedBytes += value.length;
      hold(receivedBytes);
      onPart(value);
      parts.push(value);
    }
    if (isLate) throw lateError(timeoutMs);
    return { body: Buffer.concat(parts), release };
  } catch (error) {
    release();
    // Without this the rest of the body would still be received.
    await reader?.cancel().catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

const tooLargeError = (bodyBytesMax: number): ServiceError =>
  new ServiceError('too-large', `The body exceeds the limit of ${bodyBytesMax} bytes for a delivery.`);

const overloadedError = (): ServiceError =>
  new ServiceError(
    'intake-overloaded',
    'Too many deliveries are being received whose signature is not verified yet. Send the delivery again later.',
    { retryAfterMs: 10_000 },
  );

const lateError = (timeoutMs: number): ServiceError =>
  new ServiceError(
    'delivery-incomplete',
    `The body of the delivery did not arrive within ${timeoutMs / 1000} seconds. Send the delivery again.`,
  );
