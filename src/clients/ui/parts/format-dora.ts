import type { Schemas } from '../api/generated/openapi.ts';
import { formatDuration } from './time.tsx';

type Dora = Pick<Schemas['ProductDora'], 'days' | 'deploymentFrequency' | 'leadTime' | 'changeFailureRate'>;

/** Formats the figures of a Product as lines; where nothing happened there is no data. */
export function formatDora({ days, deploymentFrequency, leadTime, changeFailureRate }: Dora): [string, string][] {
  const { count } = deploymentFrequency;
  const { count: failed, total } = changeFailureRate;
  return [
    ['Deployments', count === 0 ? 'None' : `${count}, every ${formatInterval(days / count)}`],
    ['Lead time', leadTime.value === undefined ? 'No data' : formatDuration(leadTime.value * 1_000)],
    ['Failures', total === 0 ? 'No data' : `${failed} of ${total}`],
  ];
}

function formatInterval(days: number): string {
  const rounded = days.toFixed(1).replace(/\.0$/, '');
  return rounded === '1' ? 'day' : `${rounded} days`;
}
