import { collectDefaultMetrics, Registry } from 'prom-client';

/** Creates a registry with the metrics of this process. `readAdditional` returns more metrics in the same format. */
export function createMetricsRegistry(readAdditional?: () => Promise<string>): Registry {
  const registry = readAdditional ? new MergedRegistry(readAdditional) : new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

class MergedRegistry extends Registry {
  readonly #readAdditional: () => Promise<string>;

  constructor(readAdditional: () => Promise<string>) {
    super();
    this.#readAdditional = readAdditional;
  }

  override async metrics(): Promise<string> {
    const [own, additional] = await Promise.all([super.metrics(), this.#readAdditional().catch(() => '')]);
    return `${own}\n${additional}`;
  }
}
