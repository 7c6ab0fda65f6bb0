import type { SloSpec } from '../slos/kinds.ts';

/** The state of an SLO in a zone. It is `unknown` while Prometheus cannot be asked, and `no-traffic` without requests. */
export const objectiveStates = ['meeting', 'burning', 'spent', 'no-traffic', 'unknown'] as const;
export type ObjectiveState = (typeof objectiveStates)[number];

export type MeasuredObjective = {
  slo: string;
  zone: string;
  state: ObjectiveState;
  /** The share of good requests in the window of the SLO. */
  attainment?: number;
};

/** A sample of a series of Prometheus. */
type Sample = { labels: Record<string, string>; value: number };

const ratioPrefix = 'service:slo_errors:ratio_';
/** The ranges of the burn alerts. Any other recorded ratio is that of the window. */
const burnRanges = ['5m', '30m', '1h', '6h'];

/** Builds the query for everything that the rules of a Product's SLOs recorded, with their alerts. */
export const toObjectivesQuery = ({ org, product }: { org: string; product: string }): string =>
  `{__name__=~"ALERTS|${ratioPrefix}.+", org="${org}", product="${product}"}`;

/** Reads the states of the SLOs in their zones from the samples of `toObjectivesQuery`, or unknown without an answer. */
export function toObjectiveStates(
  slos: readonly Pick<SloSpec, 'name' | 'objective' | 'window' | 'zones'>[],
  { zones, samples }: { zones: readonly string[]; samples: readonly Sample[] | undefined },
): MeasuredObjective[] {
  return slos.flatMap((slo) =>
    (slo.zones ?? zones).map((zone) => {
      const found = samples?.filter(({ labels }) => labels['slo'] === slo.name && labels['zone'] === zone);
      return { slo: slo.name, zone, ...(found ? judge(slo, found) : { state: 'unknown' as const }) };
    }),
  );
}

function judge(
  { objective, window }: Pick<SloSpec, 'objective' | 'window'>,
  samples: readonly Sample[],
): Pick<MeasuredObjective, 'state' | 'attainment'> {
  const isWindow = (range: string): boolean => (window === undefined ? !burnRanges.includes(range) : range === window);
  const ratio = samples.find(({ labels: { __name__: name = '' } }) =>
    name.startsWith(ratioPrefix) ? isWindow(name.slice(ratioPrefix.length)) : false,
  )?.value;
  const isBurning = samples.some(({ labels }) => labels['__name__'] === 'ALERTS' && labels['alertstate'] === 'firing');
  const measured = ratio === undefined || Number.isNaN(ratio) ? {} : { attainment: 1 - ratio };
  if (isBurning) return { state: 'burning', ...measured };
  if (measured.attainment === undefined) return { state: 'no-traffic' };
  return { state: isSpent(objective, measured.attainment) ? 'spent' : 'meeting', ...measured };
}

/** Compares whole millionths of a percent, because 1 − 0.999 is not 0.001 in binary. */
const isSpent = (objective: string, attainment: number): boolean =>
  Math.round(attainment * 1e8) <= Math.round(Number(objective) * 1e6);
