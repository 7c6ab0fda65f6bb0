import { assertWithinQuota, type Quotas } from '../../src/rules/quotas.ts';

type Creation<T> = {
  quota: keyof Quotas;
  /** The org or person that has the quota. */
  holder: string;
  /** Counts what the holder has already. */
  count: () => Promise<number>;
  create: () => Promise<T>;
};

/** Refuses to create more than a quota allows, also for concurrent requests at this process. */
export class QuotaGuard {
  readonly #pending = new Map<string, number>();
  readonly #quotas: Quotas;

  constructor(quotas: Quotas) {
    this.#quotas = quotas;
  }

  /** Creates something unless what exists, and what earlier requests are creating at this moment, reach the quota. */
  async create<T>({ quota, holder, count, create }: Creation<T>): Promise<T> {
    const key = `${quota} ${holder}`;
    const position = (this.#pending.get(key) ?? 0) + 1;
    this.#pending.set(key, position);
    try {
      assertWithinQuota(this.#quotas, quota, (await count()) + position);
      return await create();
    } finally {
      const left = (this.#pending.get(key) ?? 1) - 1;
      if (left > 0) this.#pending.set(key, left);
      else this.#pending.delete(key);
    }
  }
}
