import type { Schemas } from '../../../api/generated/openapi.ts';
import { formatDuration } from '../../../parts/time.tsx';

export type Dora = Schemas['ProductDora'];
export const metrics = ['deploymentFrequency', 'leadTime', 'changeFailureRate', 'timeToRestore'] as const;
export type Metric = (typeof metrics)[number];
type Summary = { value?: number; count: number; total: number };
type Measure = {
  title: string;
  note: string;
  unit: (summary: Summary) => string;
  format: (summary: Summary) => string;
  counted: (count: number, total: number) => string;
};

const formatSeconds = ({ value = 0 }: Summary): string => formatDuration(value * 1_000);
const formatCount = (count: number): string => String(count);

/** The words and the numbers of each metric. */
export const measures: Record<Metric, Measure> = {
  deploymentFrequency: {
    title: 'Deployment frequency',
    note: 'Releases that reached a release zone and became healthy',
    format: ({ count }) => String(count),
    unit: ({ count }) => (count === 1 ? 'Release' : 'Releases'),
    counted: formatCount,
  },
  leadTime: {
    title: 'Lead time for changes',
    note: 'From the merge of a Change to running healthy in a release zone',
    format: formatSeconds,
    unit: () => 'median',
    counted: formatCount,
  },
  changeFailureRate: {
    title: 'Change failure rate',
    note: 'Failed to promote, or followed by a warning or critical incident within 24 hours',
    format: ({ value = 0 }) => `${(value * 100).toFixed(1)} %`,
    unit: ({ count, total }) => `${count} of ${total}`,
    counted: (count, total) => `${count} of ${total}`,
  },
  timeToRestore: {
    title: 'Time to restore service',
    note: 'From opening to resolving warning and critical incidents',
    format: formatSeconds,
    unit: () => 'median',
    counted: formatCount,
  },
};
