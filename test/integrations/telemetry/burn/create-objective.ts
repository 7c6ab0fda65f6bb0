import type { SloSpec } from '../../../../src/rules/slos/kinds.ts';
import { buildSlo } from '../../../rules/slos/build-slo.ts';
import { createRandom } from '../../../support/sample.ts';
import { byCode, byFilter, byLatency, filterIndicator, toLatencyIndicator } from './exporters.ts';
import type { Draw, Exporter } from './generate-traffic.ts';

export type Objective = { slo: SloSpec; exporter: Exporter };

const shapes: ((draw: Draw) => { slo: Partial<SloSpec>; exporter: Exporter })[] = [
  () => ({ slo: {}, exporter: byCode }),
  () => ({ slo: { indicator: filterIndicator }, exporter: byFilter }),
  (draw) => ({ slo: { indicator: toLatencyIndicator('1') }, exporter: byLatency(draw(2) === 0 ? '1' : '1.0') }),
  () => ({ slo: { indicator: toLatencyIndicator('0.25') }, exporter: byLatency('0.25') }),
];

/** Draws an objective between 90 and 99.9999 percent, and an app that exports what it counts. */
export function createObjective(index: number): Objective {
  const draw = createRandom(index);
  const shape = shapes[index % shapes.length]!(draw);
  const digits = 1 + draw(4);
  const budget = (1 + draw(10 ** (1 + draw(digits + 1)))) / 10 ** digits;
  const objective = (100 - budget).toFixed(digits);
  return { slo: buildSlo({ name: `slo-${index}`, objective, ...shape.slo }), exporter: shape.exporter };
}
