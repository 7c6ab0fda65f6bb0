import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense, useMemo } from 'react';
import { zoneMetricsQuery } from '../../api/queries/zone-telemetry.ts';
import type { Schemas } from '../../api/generated/openapi.ts';
import field from '../../parts/field.module.css';
import { Section } from '../../parts/page.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import table from '../../parts/table.module.css';
import { formatTime } from '../../parts/format-time.ts';
import { windows, zoneRoute } from './route.ts';
import { formatValue, shortenPod, toUsage, type Measure, type Metrics } from './usage-series.ts';
import type { Limit } from './usage-plot.tsx';
import chart from '../../parts/chart.module.css';
import styles from './usage.module.css';
import { lazyPart } from '../../parts/lazy-file.ts';

const UsagePlot = lazyPart(async () => (await import('./usage-plot.tsx')).default);

const words: Record<(typeof windows)[number], string> = { 1: '1 hour', 6: '6 hours', 24: '24 hours', 168: '7 days' };
const charts: [measure: Measure, title: string][] = [
  ['cpuCores', 'CPU'],
  ['memoryBytes', 'Memory'],
  ['receivedBytesPerSecond', 'Network in'],
  ['sentBytesPerSecond', 'Network out'],
];

/** The use of CPU, memory and network by each pod in a window of time. */
export function UsageSection({ pods }: { pods: Schemas['Pod'][] }) {
  const params = zoneRoute.useParams();
  const { hours = 1 } = zoneRoute.useSearch();
  const { data: metrics, error } = useQuery(zoneMetricsQuery(params, hours));
  const restarted = pods.filter(
    ({ restarts, startedAt }) =>
      restarts > 0 && startedAt !== undefined && metrics !== undefined && startedAt >= metrics.from,
  );
  const key = restarted.map(({ startedAt = '' }) => startedAt).join();
  const restarts = useMemo(() => (key === '' ? [] : key.split(',').map((at) => Date.parse(at) / 1_000)), [key]);
  return (
    <Section
      id="usage"
      title="Resource use"
      note={`Of each pod. ${describeRestarts(restarted)}`}
      aside={
        <span className={field['seg']} role="group" aria-label="Window">
          {windows.map((each) => (
            <Link
              key={each}
              to="/$org/products/$product/zones/$zone"
              params={params}
              search={each === 1 ? {} : { hours: each }}
              resetScroll={false}
              className="quiet"
              activeProps={{}}
              activeOptions={{ exact: true, includeSearch: true }}
              aria-current={each === hours ? 'true' : undefined}
            >
              {words[each]}
            </Link>
          ))}
        </span>
      }
    >
      {error && <ProblemNotice error={error} />}
      {metrics?.pods.length === 0 && <p className="dim">Nothing was measured in this window.</p>}
      {metrics && metrics.pods.length > 0 && (
        <>
          <div className={chart['charts']}>
            {charts.map(([measure, title]) => (
              <Chart
                key={measure}
                measure={measure}
                title={title}
                hours={hours}
                restarts={restarts}
                metrics={metrics}
              />
            ))}
          </div>
          <Legend pods={metrics.pods.map(({ name }) => name)} />
        </>
      )}
    </Section>
  );
}

function describeRestarts(pods: Schemas['Pod'][]): string {
  const texts = pods.map(({ name, startedAt = '' }) => `${name.split('-').at(-1)} at ${formatTime(startedAt)}`);
  if (texts.length === 0) return '';
  return `The upright line is the restart of ${texts.join(', ')}.`;
}

type ChartProps = { measure: Measure; title: string; hours: number; restarts: number[]; metrics: Metrics };

function Chart({ measure, title, hours, restarts, metrics }: ChartProps) {
  const usage = useMemo(() => toUsage(metrics, measure), [metrics, measure]);
  const limit = useMemo(() => toLimit(metrics, measure, usage.unit), [metrics, measure, usage.unit]);
  const { unit, summary, pods } = usage;
  const facts = pods.flatMap(({ name, summary: own }) =>
    own ? [`${shortenPod(name)}: mean ${formatValue(own.mean)}, highest ${formatValue(own.max)}`] : [],
  );
  return (
    <figure className={chart['chart']}>
      <figcaption>
        <h3>{title}</h3>
        {summary && (
          <span className={styles['sum']}>
            lowest <b>{formatValue(summary.min)}</b>, mean <b>{formatValue(summary.mean)}</b>, highest{' '}
            <b>{formatValue(summary.max)}</b>, last <b>{formatValue(summary.last)}</b> {unit.name}
          </span>
        )}
      </figcaption>
      <Suspense fallback={<div className={chart['space']} />}>
        <UsagePlot
          usage={usage}
          hours={hours}
          limit={limit}
          restarts={restarts}
          label={[`${title} in ${unit.name}`, limit?.label, ...facts].filter(Boolean).join('. ')}
        />
      </Suspense>
      <details>
        <summary>As a table</summary>
        <div className={table['wrapx']}>
          <table className={`${table['tbl']} ${table['tight']} ${table['wide']}`}>
            <thead>
              <tr>
                <th scope="col">Pod</th>
                {['Lowest', 'Mean', 'Highest', 'Last'].map((head) => (
                  <th key={head} scope="col" className={table['n']}>
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {pods.map(({ name, summary: own }) => (
                <tr key={name}>
                  <th scope="row" className="mono">
                    {shortenPod(name)}
                  </th>
                  {own &&
                    (['min', 'mean', 'max', 'last'] as const).map((fact) => (
                      <td key={fact} className={table['n']}>
                        {formatValue(own[fact])} {unit.name}
                      </td>
                    ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

function toLimit(
  { cpuRequestCores, memoryLimitBytes }: Metrics,
  measure: Measure,
  { size, name }: { size: number; name: string },
): Limit | undefined {
  const [value, word] =
    measure === 'cpuCores'
      ? [cpuRequestCores, 'reserved']
      : measure === 'memoryBytes'
        ? [memoryLimitBytes, 'limit']
        : [undefined, ''];
  return value === undefined
    ? undefined
    : { value: value / size, label: `${word} ${Number((value / size).toFixed(2))} ${name}` };
}

const Legend = ({ pods }: { pods: string[] }) => (
  <div className={styles['legend']}>
    {pods.map((name, index) => (
      <span key={name}>
        <svg width="22" height="8" aria-hidden="true" className={styles[`series-${(index % 4) + 1}`]}>
          <line x1="0" x2="22" y1="4" y2="4" strokeWidth="2" />
        </svg>
        <span className="mono">{shortenPod(name)}</span>
      </span>
    ))}
  </div>
);
