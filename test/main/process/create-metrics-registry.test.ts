import { expect, it } from 'vitest';
import { createMetricsRegistry } from '../../../src/main/process/create-metrics-registry.ts';

it('appends additional metrics to those of the process', async () => {
  const text = await createMetricsRegistry(async () => 'temporal_requests_total 1\n').metrics();
  expect(text).toContain('process_cpu_seconds_total');
  expect(text).toContain('temporal_requests_total 1');
});

it('still returns the metrics of the process when the additional ones fail', async () => {
  const registry = createMetricsRegistry(async () => await Promise.reject(new Error('unavailable')));
  expect(await registry.metrics()).toContain('process_cpu_seconds_total');
});
