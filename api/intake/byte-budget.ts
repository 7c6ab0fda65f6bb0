/** A body up to this size is usual for an event that starts a run. */
const smallBytesMax = 256 * 1024;

/**
 * Bounds the memory of all bodies whose signature is not verified yet. Its last quarter is for small bodies, so that a
 * flood of large ones does not displace usual deliveries.
 */
export class ByteBudget {
  readonly #maxBytes: number;
  #usedBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Returns whether a body of this size in all still fits, when `heldBytes` of it are already counted. */
  fits(bodyBytes: number, heldBytes = 0): boolean {
    const maxBytes = bodyBytes <= smallBytesMax ? this.#maxBytes : this.#maxBytes * 0.75;
    return this.#usedBytes - heldBytes + bodyBytes <= maxBytes;
  }

  hold(bytes: number): void {
    this.#usedBytes += bytes;
  }

  release(bytes: number): void {
    this.#usedBytes -= bytes;
  }
}
