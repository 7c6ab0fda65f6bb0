import { defined } from '../../defined.ts';
import type { ProductSpec } from '../products/kinds.ts';
import { findBurn, judgeSlo } from '../slos/judge-slo.ts';
import { getSloWindow } from '../slos/slo-window.ts';
import { toMeasurement } from '../slos/to-measurement.ts';
import { findSloZones } from '../slos/to-prometheus-rule.ts';

/** The state of an SLO in a zone. It is `unknown` while Prometheus cannot be asked. */
export const objectiveStates = ['meeting', 'burning', 'spent', 'no-traffic', 'unknown'] as const;
export type ObjectiveState = (typeof objectiveStates)[number];

export type MeasuredObjective = {
  slo: string;
  zone: string;
  objective: string;
  state: ObjectiveState;
  /** The share of good requests in the window of the SLO. */
  attainment?: number;
};

type Sample = Parameters<typeof toMeasurement>[0][number];

/** Judges the SLOs in their zones by what their rules recorded; without samples, all are unknown. */
export function toObjectiveStates(
  spec: ProductSpec,
  { samples, retentionMs }: { samples: readonly Sample[] | undefined; retentionMs: number },
): MeasuredObjective[] {
  return (spec.slos ?? []).flatMap((slo) =>
    findSloZones(slo, spec).map((zone) => {
      const { name, objective } = slo;
      const window = getSloWindow(slo, retentionMs);
      const measurement = samples && toMeasurement(samples, { slo: name, zone, window });
      return { slo: name, zone, objective, ...(measurement ? judge(objective, measurement) : { state: 'unknown' }) };
    }),
  );
}

/** Users suffer while the budget burns, so that comes before a budget that is spent already. */
function judge(
  objective: string,
  measurement: ReturnType<typeof toMeasurement>,
): Pick<MeasuredObjective, 'state' | 'attainment'> {
  const { state, attainment } = judgeSlo(objective, measurement);
  return defined({ state: findBurn(objective, measurement.ratios) ? 'burning' : state, attainment });
}
