import type { z } from '@hono/zod-openapi';
import type { Product } from '../../src/rules/products/kinds.ts';
import { judgeSlo } from '../../src/rules/slos/judge-slo.ts';
import type { SloSpec } from '../../src/rules/slos/kinds.ts';
import { getSloWindow } from '../../src/rules/slos/slo-window.ts';
import { toMeasurement } from '../../src/rules/slos/to-measurement.ts';
import { findSloZones } from '../../src/rules/slos/to-prometheus-rule.ts';
import type { Measurements } from './measurements.ts';
import type { SloView } from './schemas.ts';

/** Shows each SLO of a Product in each zone that it measures. */
export function toSloViews(
  product: Product,
  measurements: Measurements,
  retentionMs: number,
): z.infer<typeof SloView>[] {
  return (product.spec.slos ?? []).flatMap((slo) => {
    const window = getSloWindow(slo, retentionMs);
    return findSloZones(slo, product.spec).map((zone) => toSloView(product, { slo, zone, window }, measurements));
  });
}

function toSloView(
  { status }: Product,
  { slo, zone, window }: { slo: SloSpec; zone: string; window: string },
  measurements: Measurements,
): z.infer<typeof SloView> {
  const { name, description, objective, indicator } = slo;
  const issues = (status?.observability?.slos ?? []).filter((issue) => issue.name === name && issue.zone === zone);
  return {
    name,
    zone,
    ...(description !== undefined && { description }),
    objective,
    window,
    indicator: indicator.latency ? 'latency' : 'availability',
    ...(indicator.latency && { thresholdSeconds: Number(indicator.latency.threshold) }),
    issues: issues.map(({ message }) => message),
    ...judge({ slo, zone, window }, measurements),
  };
}

function judge({ slo, zone, window }: { slo: SloSpec; zone: string; window: string }, measurements: Measurements) {
  if ('unavailable' in measurements) return { state: 'unavailable' as const, message: measurements.unavailable };
  const { requestsPerSecond, ...measurement } = toMeasurement(measurements.samples, { slo: slo.name, zone, window });
  return {
    ...judgeSlo(slo.objective, measurement),
    ...(requestsPerSecond !== undefined && { requestsPerSecond }),
  };
}
