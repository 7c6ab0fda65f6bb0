import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../src/errors.ts';
import type { ByteBudget } from './byte-budget.ts';
import { inlineHashBytesMax } from './hash-in-slices.ts';

export type UnverifiedBodyLimits = {
  budget: ByteBudget;
  bodyBytesMax: number;
  /** The code host closes the connection after ten seconds; a slower sender only holds memory. */
  timeoutMs?: number;
};

/** A body that is arriving. `read` returns undefined at its end, and `cancel` stops receiving it. */
export type BodySource = {
  /** The length that the sender declared; 0 without one. */
  declaredBytes: number;
  read: () => Promise<Uint8Array | undefined>;
  cancel: () => void;
};

/** A body and a function that ends its share of the budget, once its signature is decided. */
export type UnverifiedBody = { body: Buffer; release: () => void };

export function fromRequest({ headers, body }: Request): BodySource {
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader();
  return {
    declaredBytes: Number(headers.get('content-length') ?? 0),
    read: async () => (await reader?.read())?.value,
    cancel: () => void reader?.cancel().catch(() => {}),
  };
}

/** Reads a request of Node's server, which costs a fraction of a `Request`. Its connection stays open for a response. */
export function fromIncoming(incoming: IncomingMessage): BodySource {
  const parts = incoming.iterator({ destroyOnReturn: false });
  return {
    declaredBytes: Number(incoming.headers['content-length'] ?? 0),
    async read() {
      try {
        return ((await parts.next()) as IteratorResult<Uint8Array, undefined>).value;
      } catch {
        throw incompleteError('The connection closed before the body of the delivery was complete.');
      }
    },
    cancel: () => void incoming.pause(),
  };
}

/** Throws for a declared length that is too large, or does not fit the budget while `heldBytes` of it are held. */
export function assertFits({ budget, bodyBytesMax }: UnverifiedBodyLimits, bodyBytes: number, heldBytes = 0): void {
  if (bodyBytes > bodyBytesMax) throw tooLargeError(bodyBytesMax);
  if (!budget.fits(bodyBytes, heldBytes)) throw overloadedError();
}

/** Reads a body of an unknown sender, and shows each part to `onPart` while the next one is on its way. */
export async function readUnverifiedBody(
  source: BodySource,
  limits: UnverifiedBodyLimits,
  onPart: (part: Uint8Array) => void,
): Promise<UnverifiedBody> {
  const { budget, timeoutMs = 10_000 } = limits;
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
  hold(source.declaredBytes);
  const collected = collectParts(source.declaredBytes);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const giveUp = (): void =>
      reject(incompleteError(`The body of the delivery did not arrive within ${timeoutMs / 1000} seconds.`));
    timer = setTimeout(giveUp, timeoutMs);
  });
  try {
    for (;;) {
      const part = await Promise.race([source.read(), late]);
      if (part === undefined) return { body: collected.toBody(), release };
      receivedBytes += part.length;
      hold(receivedBytes);
      onPart(part);
      collected.add(part);
    }
  } catch (error) {
    release();
    // Without this the rest of the body would still be received.
    source.cancel();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Collects the parts of a body. A large one gets its memory at once, and shares it with the thread that searches for its
 * signer: each copy of 25 MiB would hold up other requests for some 15 ms.
 */
function collectParts(declaredBytes: number): { add: (part: Uint8Array) => void; toBody: () => Buffer } {
  if (declaredBytes <= inlineHashBytesMax) {
    const parts: Uint8Array[] = [];
    return { add: (part) => void parts.push(part), toBody: () => Buffer.concat(parts) };
  }
  const body = Buffer.from(new SharedArrayBuffer(declaredBytes));
  let bytes = 0;
  return {
    add(part) {
      if (bytes + part.length > declaredBytes)
        throw incompleteError('The body of the delivery is longer than its Content-Length.');
      body.set(part, bytes);
      bytes += part.length;
    },
    toBody: () => body.subarray(0, bytes),
  };
}

const tooLargeError = (bodyBytesMax: number): ServiceError =>
  new ServiceError('too-large', `The body exceeds the limit of ${bodyBytesMax} bytes for a delivery.`);

const overloadedError = (): ServiceError =>
  new ServiceError(
    'intake-overloaded',
    'Too many deliveries are being received whose signature is not verified yet. Send the delivery again later.',
    { retryAfterMs: 10_000 },
  );

const incompleteError = (cause: string): ServiceError =>
  new ServiceError('delivery-incomplete', `${cause} Send the delivery again.`);
