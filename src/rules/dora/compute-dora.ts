import { rateMeasure, type DoraMeasure, type DoraRating } from './bands.ts';
import { isWithin, type DoraWindow, type TimeSpan } from './dora-window.ts';
import { findFirstHealthy, isServiceFailure, listDeployments, type Deployment } from './list-deployments.ts';
import { listLeadTimes, type LeadTime } from './list-lead-times.ts';
import { median } from './median.ts';
import type { DoraRecords, IncidentRecord } from './records.ts';

export type Restore = { incident: IncidentRecord; at: number; seconds: number };
/** Everything that the measures count, whenever it happened. */
export type DoraEvents = {
  deployments: Deployment[];
  /** The first healthy deployment of each Release. */
  firstDeployments: Deployment[];
  leadTimes: LeadTime[];
  restores: Restore[];
};

export type Figure<Event> = {
  /** Releases per week, seconds or a share; absent where nothing happened. */
  value?: number;
  rating?: DoraRating;
  /** The number of events that count for the value, out of `total`. */
  count: number;
  total: number;
  previous: { value?: number; count: number; total: number };
  trend: { from: number; value?: number }[];
  events: Event[];
};
export type Dora = {
  deploymentFrequency: Figure<Deployment>;
  leadTime: Figure<LeadTime>;
  changeFailureRate: Figure<Deployment>;
  timeToRestore: Figure<Restore>;
};

const weekMs = 7 * 24 * 60 * 60_000;

/** Derives what the measures of one Product count. */
export function listDoraEvents(records: DoraRecords, releaseZones: readonly string[]): DoraEvents {
  const deployments = listDeployments(records, new Set(releaseZones));
  const restores = records.incidents.filter(isServiceFailure).flatMap((incident) => {
    const { openedAt, resolvedAt: at } = incident;
    return at === undefined ? [] : [{ incident, at, seconds: Math.max(0, at - openedAt) / 1_000 }];
  });
  return {
    deployments,
    firstDeployments: [...findFirstHealthy(deployments).values()],
    leadTimes: listLeadTimes(records, deployments),
    restores,
  };
}

/** Computes the four measures of a window, each with the events that it counts, newest first. */
export function computeDora(
  { deployments, firstDeployments, leadTimes, restores }: DoraEvents,
  window: DoraWindow,
): Dora {
  return {
    deploymentFrequency: toFigure(firstDeployments, window, {
      measure: 'deploymentFrequency',
      compute: (events, { from, to }) => (events.length === 0 ? undefined : events.length / ((to - from) / weekMs)),
    }),
    leadTime: toFigure(leadTimes, window, { measure: 'leadTime', compute: medianSeconds }),
    changeFailureRate: toFigure(deployments, window, {
      measure: 'changeFailureRate',
      counts: ({ failure }) => failure !== undefined,
      compute: (events) =>
        events.length === 0 ? undefined : events.filter(({ failure }) => failure !== undefined).length / events.length,
    }),
    timeToRestore: toFigure(restores, window, { measure: 'timeToRestore', compute: medianSeconds }),
  };
}

const medianSeconds = (events: readonly { seconds: number }[]): number | undefined =>
  median(events.map(({ seconds }) => seconds));

type Measurement<Event> = {
  measure: DoraMeasure;
  compute: (events: Event[], span: TimeSpan) => number | undefined;
  /** Whether an event is counted, if not all are. */
  counts?: (event: Event) => boolean;
};

function toFigure<Event extends { at: number }>(
  all: readonly Event[],
  window: DoraWindow,
  { measure, compute, counts = () => true }: Measurement<Event>,
): Figure<Event> {
  const summarize = (span: TimeSpan, among: readonly Event[]) => {
    const within = among.filter(({ at }) => isWithin(span, at));
    const value = compute(within, span);
    const counted = within.filter(counts);
    return {
      counted,
      within,
      figure: { ...(value !== undefined && { value }), count: counted.length, total: within.length },
    };
  };
  const { counted, within, figure } = summarize(window.current, all);
  const rating = rateMeasure(measure, figure.value);
  return {
    ...figure,
    ...(rating && { rating }),
    previous: summarize(window.previous, all).figure,
    trend: window.parts.map((part) => {
      const { value } = summarize(part, within).figure;
      return { from: part.from, ...(value !== undefined && { value }) };
    }),
    events: counted.toSorted((one, other) => other.at - one.at),
  };
}
