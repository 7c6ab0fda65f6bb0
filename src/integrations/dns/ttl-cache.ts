type Entry<T> = { expiresAt: number; value: Promise<T> };

/** Caches values for a limited time. Concurrent readers of one key share one computation. */
export class TtlCache<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #limits: { ms: number; entries: number };

  constructor(limits: { ms: number; entries: number }) {
    this.#limits = limits;
  }

  /** A rejected value is not cached. */
  async get(key: string, make: () => Promise<T>): Promise<T> {
    const entry = this.#entries.get(key);
    if (entry && entry.expiresAt > performance.now()) return await entry.value;
    const value = make();
    this.#entries.delete(key);
    // The jitter keeps entries from expiring at the same moment.
    const ms = this.#limits.ms * (0.75 + Math.random() / 4);
    this.#entries.set(key, { expiresAt: performance.now() + ms, value });
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > this.#limits.entries && !oldest.done) this.#entries.delete(oldest.value);
    try {
      return await value;
    } catch (error) {
      this.delete(key);
      throw error;
    }
  }

  /** Removes an entry and returns its value. */
  async take(key: string): Promise<T | undefined> {
    const entry = this.#entries.get(key);
    this.delete(key);
    return await entry?.value;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
