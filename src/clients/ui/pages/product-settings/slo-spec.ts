import type { Product } from '../../api/types.ts';
import { changeObject } from '../../parts/change-object.ts';
import { formatWindow } from '../reliability/slos/slo-words.ts';

export type SloSpec = NonNullable<Product['spec']['slos']>[number];
type Indicator = SloSpec['indicator'];
export type Availability = NonNullable<Indicator['availability']>;
export type Latency = NonNullable<Indicator['latency']>;

export const indicators = { availability: 'Requests without an error', latency: 'Requests answered in time' };

/** An SLO over the counter that most apps have. */
export const newSlo = (): SloSpec => ({
  name: '',
  objective: '99.9',
  indicator: toIndicator('availability', {}),
});

/** Another indicator keeps the matchers of the requests that count. */
export function toIndicator(name: string, { availability, latency }: Indicator): Indicator {
  const filter = availability?.filter ?? latency?.filter;
  if (name === 'latency')
    return {
      latency: changeObject<Latency>({ histogram: 'http_request_duration_seconds', threshold: '1' }, { filter }),
    };
  return { availability: changeObject<Availability>({ metric: 'http_requests_total' }, { filter }) };
}

/** Says in a few words what an SLO promises. */
export function describeSloSpec({ objective, window, zones, indicator }: SloSpec): string {
  const good = indicator.latency ? `answered within ${indicator.latency.threshold} s` : 'without an error';
  const period = window !== undefined && /^\d+[mhdw]$/.test(window) ? `, ${formatWindow(window)}` : '';
  return `${objective} % ${good}${period}, in ${zones?.join(' and ') ?? 'the release zones'}`;
}
