import type { Schemas } from '../../../api/generated/openapi.ts';
import type { State } from '../../../parts/phase-state.ts';

export type Slo = Schemas['Slo'];

const states: Record<Slo['state'], [state: State, words: string]> = {
  meeting: ['done', 'Meeting the objective'],
  burning: ['warn', 'Burning budget'],
  spent: ['failed', 'Budget spent'],
  'no-traffic': ['idle', 'No traffic yet'],
  unavailable: ['idle', 'Not known'],
};

type WithState = Pick<Slo, 'state'>;
export const toSloState = ({ state }: WithState): State => states[state][0];
export const toSloWords = ({ state }: WithState): string => states[state][1];

/** Counts the objectives that are met, as far as they are known. */
export const describeMet = (slos: Slo[]): string =>
  slos.every(({ state }) => state === 'unavailable')
    ? 'Not known'
    : formatMet({ met: slos.filter(({ state }) => state === 'meeting').length, total: slos.length });

export const formatMet = ({ met, total }: { met: number; total: number }): string => `${met} of ${total} met`;

/** Formats a share with as many digits as tell it from 100 %. */
export const formatShare = (share: number, digits = 3): string => `${Number((share * 100).toFixed(digits))} %`;

/** The part of the meter that is filled: nothing when more than the budget is spent. */
export const toFill = (budgetLeft: number): number => Math.min(1, Math.max(0, budgetLeft));

const units: Record<string, string> = { m: 'minute', h: 'hour', d: 'day', w: 'week' };

export function formatWindow(window: string): string {
  const count = Number.parseInt(window, 10);
  const days = window.endsWith('h') && count % 24 === 0 ? count / 24 : undefined;
  const amount = days ?? count;
  const unit = days === undefined ? units[window.slice(-1)] : 'day';
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}

/** Says what an SLO measures, when its author has not. */
export const describeSlo = ({ description, indicator, thresholdSeconds, objective, window }: Slo): string =>
  `${description ?? (indicator === 'latency' ? `${objective} % answered within ${thresholdSeconds} s` : 'Answered without an error')}, ${formatWindow(window)}`;
