type Entry<T> = { until: number; value: Promise<T> };

/** Keeps answers for a while; who asks for the same at once waits for the same answer. */
export class TimedCache<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #limits: { ms: number; entries: number };

  constructor(limits: { ms: number; entries: number }) {
    this.#limits = limits;
  }

  /** A failure is kept for nobody. */
  async get(key: string, make: () => Promise<T>): Promise<T> {
    const kept = this.#entries.get(key);
    if (kept && kept.until > performance.now()) return await kept.value;
    const value = make();
    this.#entries.delete(key);
    // Not all at the same moment again.
    const ms = this.#limits.ms * (0.75 + Math.random() / 4);
    this.#entries.set(key, { until: performance.now() + ms, value });
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > this.#limits.entries && !oldest.done) this.#entries.delete(oldest.value);
    try {
      return await value;
    } catch (error) {
      this.forget(key);
      throw error;
    }
  }

  /** What is kept, which is kept no longer. */
  async take(key: string): Promise<T | undefined> {
    const kept = this.#entries.get(key);
    this.forget(key);
    return await kept?.value;
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }
}
