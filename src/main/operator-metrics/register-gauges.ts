import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, type Registry } from 'prom-client';

export type GaugeHelp = { help: string; labelNames: string[] };
export type Reading<Name extends string> = { gauge: Name; labels: Record<string, string>; value: number };

/** A scrape has to be answered within ten seconds by default. */
const readTimeoutMs = 5_000;

/**
 * Registers gauges whose values are read together at each scrape. A reading that fails or takes too long is counted and
 * leaves the gauges out, so that a scrape never fails and shows no old value.
 */
export function registerGauges<Name extends string>(
  registry: Registry,
  gauges: Record<Name, GaugeHelp>,
  {
    source,
    read,
    timeoutMs = readTimeoutMs,
  }: { source: string; read: () => Promise<Reading<Name>[]>; timeoutMs?: number },
): void {
  const failures = getFailureCounter(registry);
  failures.inc({ source }, 0);
  let reading: Promise<Reading<Name>[]> | undefined;
  // All gauges are collected at once, and share one reading.
  const readOnce = (): Promise<Reading<Name>[]> =>
    (reading ??= withTimeout(read(), timeoutMs)
      .catch(() => {
        failures.inc({ source });
        return [];
      })
      .finally(() => (reading = undefined)));
  for (const [name, { help, labelNames }] of Object.entries<GaugeHelp>(gauges))
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const readings = await readOnce();
        this.reset();
        for (const { gauge, labels, value } of readings) if (gauge === name) this.set(labels, value);
      },
    });
}

function getFailureCounter(registry: Registry): Counter {
  const name = 'delivery_metrics_readings_failed_total';
  const existing = registry.getSingleMetric(name);
  if (existing) return existing as Counter;
  return new Counter({
    name,
    help: 'Readings of gauges that failed, whose gauges were left out of a scrape',
    labelNames: ['source'],
    registers: [registry],
  });
}

async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const timer = new AbortController();
  const expired = sleep(timeoutMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`The reading took longer than ${timeoutMs} ms.`);
  });
  // Aborting the timer rejects this promise; no one needs that error.
  expired.catch(() => undefined);
  try {
    return await Promise.race([work, expired]);
  } finally {
    timer.abort();
  }
}
