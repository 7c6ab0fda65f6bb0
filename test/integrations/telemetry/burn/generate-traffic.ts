/** Seconds between two scrapes. */
export const scrapeSeconds = 30;
const scrapes = (7 * 3_600) / scrapeSeconds;

/** The role that a series has for an objective; noise must not count. */
type Role = 'request' | 'error' | 'within' | 'noise';
export type RawSeries = {
  metric: string;
  labels: Record<string, string>;
  role: Role;
  /** One value per scrape, from time zero on; undefined where a scrape failed or the series did not exist. */
  values: (number | undefined)[];
};
export type Draw = (below: number) => number;
/** The labels of one counter. `isLazy` series appear with their first increase. */
export type Counter = { metric: string; labels: Record<string, string>; role: Role; isLazy?: boolean };
/** Turns the requests since the last scrape into increases of counters. */
export type Exporter = (draw: Draw) => {
  counters: Counter[];
  observe(traffic: { good: number; bad: number }): readonly number[];
};

type Phase = { until: number; perScrape: number; badShare: number };

const pick = <T>(draw: Draw, items: readonly T[]): T => items[draw(items.length)]!;

/** Draws phases of traffic: none, little or much, with shares of bad requests around the thresholds of the budget. */
function drawPhases(draw: Draw, budget: number): Phase[] {
  const phases: Phase[] = [];
  for (let from = 0; from < scrapes; from = phases.at(-1)?.until ?? scrapes)
    phases.push({
      until: from + 1 + draw(pick(draw, [4, 20, 120, 480])),
      perScrape: pick(draw, [0, 1, 10, 200, 5_000]),
      badShare: Math.min(1, pick(draw, [0, 0, 0, 0.5, 3, 9, 11, 25, 40, 200]) * budget),
    });
  return phases;
}

/** Draws the scrapes that fail: single ones, or all of a time that may be longer than the short windows. */
function drawGaps(draw: Draw): Set<number> {
  const gaps = new Set<number>();
  const isFlaky = draw(4) === 0;
  for (let scrape = 0; scrape < scrapes; scrape += 1) if (isFlaky && draw(10) === 0) gaps.add(scrape);
  for (let count = draw(3); count > 0; count -= 1) {
    const from = draw(scrapes);
    const length = pick(draw, [2, 8, 15, 70, 150]);
    for (let scrape = from; scrape < from + length; scrape += 1) gaps.add(scrape);
  }
  return gaps;
}

/** Generates what Prometheus scrapes from the pods of a zone: pods come and go, restart and miss scrapes. */
export function generateTraffic(
  draw: Draw,
  { zone, budget, createExporter }: { zone: string; budget: number; createExporter: Exporter },
): RawSeries[] {
  const phases = drawPhases(draw, budget);
  return Array.from({ length: 1 + draw(3) }, (_, pod) => {
    const isBrief = pod > 0 && draw(2) === 0;
    const from = isBrief ? draw(scrapes) : 0;
    return generatePod(draw, {
      labels: { namespace: zone, pod: `pod-${pod}` },
      phases,
      alive: { from, until: isBrief ? from + draw(scrapes) : scrapes },
      exporter: createExporter(draw),
    });
  }).flat();
}

function generatePod(
  draw: Draw,
  options: {
    labels: Record<string, string>;
    phases: readonly Phase[];
    alive: { from: number; until: number };
    exporter: ReturnType<Exporter>;
  },
): RawSeries[] {
  const { labels, phases, alive, exporter } = options;
  const gaps = drawGaps(draw);
  const restartOneIn = pick(draw, [1_000_000, 300, 40]);
  // An app may have run long before Prometheus scrapes it first.
  const earlier = draw(3) === 0 ? { good: draw(5_000), bad: draw(50) } : { good: 0, bad: 0 };
  const totals = [...exporter.observe(earlier)];
  const series = exporter.counters.map((counter): RawSeries => ({
    metric: counter.metric,
    labels: { ...labels, ...counter.labels },
    role: counter.role,
    values: Array.from({ length: scrapes }),
  }));
  for (let scrape = alive.from; scrape < Math.min(alive.until, scrapes); scrape += 1) {
    if (draw(restartOneIn) === 0) totals.fill(0);
    const { perScrape, badShare } = phases.find(({ until }) => scrape < until)!;
    const requests = perScrape === 0 ? 0 : Math.max(1, Math.round(perScrape * (0.5 + draw(100) / 100)));
    const bad = Math.floor(requests * badShare + draw(1_000) / 1_000);
    for (const [index, increase] of exporter.observe({ good: requests - bad, bad }).entries()) {
      totals[index]! += increase;
      const isAbsent = exporter.counters[index]!.isLazy === true && totals[index] === 0;
      if (!gaps.has(scrape) && !isAbsent) series[index]!.values[scrape] = totals[index];
    }
  }
  return series.filter(({ values }) => values.some((value) => value !== undefined));
}
