import { assertWithinQuota, type Quotas } from '../../src/rules/quotas.ts';

/** Counts the event streams that each person has open at this process. */
export class StreamCounter {
  readonly #open = new Map<string, number>();
  readonly #quotas: Quotas;

  constructor(quotas: Quotas) {
    this.#quotas = quotas;
  }

  /** Counts one stream until the returned function is called; throws when the person has too many open. */
  open(user: string): () => void {
    const count = (this.#open.get(user) ?? 0) + 1;
    assertWithinQuota(this.#quotas, 'streamsPerUser', count);
    this.#open.set(user, count);
    return () => {
      const left = (this.#open.get(user) ?? 1) - 1;
      if (left > 0) this.#open.set(user, left);
      else this.#open.delete(user);
    };
  }
}
