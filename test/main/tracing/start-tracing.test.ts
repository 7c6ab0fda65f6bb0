import { expect, it } from 'vitest';
import { isTracingEnabled, startTracing } from '../../../src/main/tracing/start-tracing.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

it.each([
  [true, endpoint],
  [true, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }],
  [false, {}],
  [false, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  [false, { ...endpoint, OTEL_SDK_DISABLED: 'true' }],
  [false, { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
])('is %s for %j', (enabled, environment) => {
  expect(isTracingEnabled(environment)).toBe(enabled);
});

it('starts nothing without a collector', async () => {
  expect(await startTracing({}, 'delivery-test')).toBeUndefined();
});
