import { collectDefaultMetrics, Registry } from 'prom-client';

/** What this process uses, and all that others count in it; `also` is asked for more, in the same format. */
export function serviceMetrics(also?: () => Promise<string>): Registry {
  const registry = also ? new Joined(also) : new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

class Joined extends Registry {
  readonly #also: () => Promise<string>;

  constructor(also: () => Promise<string>) {
    super();
    this.#also = also;
  }

  override async metrics(): Promise<string> {
    const [own, also] = await Promise.all([super.metrics(), this.#also().catch(() => '')]);
    return `${own}\n${also}`;
  }
}
