import type { SloSpec } from '../../../src/rules/slos/kinds.ts';

/** Builds an availability SLO over 7 days; a test states only what it is about. */
export const buildSlo = (slo: Partial<SloSpec> = {}): SloSpec => ({
  name: 'answered',
  objective: '99.9',
  window: '7d',
  indicator: { availability: { metric: 'http_requests_total' } },
  ...slo,
});

export const buildLatencySlo = (slo: Partial<SloSpec> = {}): SloSpec =>
  buildSlo({
    name: 'fast',
    objective: '95',
    indicator: { latency: { histogram: 'http_request_duration_seconds', threshold: '1' } },
    ...slo,
  });
