import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { type Reading, registerGauges } from '../../../src/main/operator-metrics/register-gauges.ts';

const gauges = {
  one_seconds: { help: 'One', labelNames: ['queue'] },
  other_bytes: { help: 'Other', labelNames: ['queue'] },
};
type Read = () => Promise<Reading<keyof typeof gauges>[]>;

function createRegistry(read: Read, timeoutMs?: number): Registry {
  const registry = new Registry();
  registerGauges(registry, gauges, { source: 'test', read, ...(timeoutMs !== undefined && { timeoutMs }) });
  return registry;
}

describe('registerGauges', () => {
  it('reads once per scrape, and drops the values that the next reading lacks', async () => {
    let reads = 0;
    const registry = createRegistry(async () => {
      reads += 1;
      return [
        { gauge: 'one_seconds', labels: { queue: reads === 1 ? 'a' : 'b' }, value: reads },
        { gauge: 'other_bytes', labels: { queue: 'a' }, value: 5 },
      ];
    });
    const first = await registry.metrics();
    expect(first).toContain('one_seconds{queue="a"} 1');
    expect(first).toContain('other_bytes{queue="a"} 5');
    const second = await registry.metrics();
    expect(second).toContain('one_seconds{queue="b"} 2');
    expect(second).not.toContain('one_seconds{queue="a"}');
    expect(reads).toBe(2);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('away'))],
    ['takes too long', () => new Promise<never>(() => {})],
  ])('answers a scrape without values when the reading %s, and counts that', async (_, fail) => {
    let isBroken = false;
    const read: Read = async () =>
      isBroken ? await fail() : [{ gauge: 'one_seconds', labels: { queue: 'a' }, value: 1 }];
    const registry = createRegistry(read, 50);
    expect(await registry.metrics()).toContain('delivery_metrics_readings_failed_total{source="test"} 0');
    isBroken = true;
    expect(await registry.metrics()).not.toContain('one_seconds{');
    isBroken = false;
    const recovered = await registry.metrics();
    expect(recovered).toContain('one_seconds{queue="a"} 1');
    expect(recovered).toContain('delivery_metrics_readings_failed_total{source="test"} 1');
  });
});
