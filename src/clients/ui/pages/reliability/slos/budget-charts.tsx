import { useQuery } from '@tanstack/react-query';
import { Suspense, useMemo } from 'react';
import { sloBudgetQuery } from '../../../api/queries/slos.ts';
import chart from '../../../parts/chart.module.css';
import { lazyPart } from '../../../parts/lazy-file.ts';
import { Section } from '../../../parts/page.tsx';
import table from '../../../parts/table.module.css';
import { Time } from '../../../parts/time.tsx';
import { formatShare, formatWindow, type Slo } from './slo-words.ts';

const UsagePlot = lazyPart(async () => (await import('../../zone/usage-plot.tsx')).default);

type Ref = { org: string; product: string };

/** Charts of the error budgets, for the SLOs that have been measured. */
export function BudgetCharts({ slos, ...ref }: Ref & { slos: Slo[] }) {
  const measured = slos.filter(({ budgetLeft }) => budgetLeft !== undefined);
  if (measured.length === 0) return null;
  return (
    <Section id="budgets" title="Error budgets" note="What was left at each time, of the window up to that time.">
      <div className={chart['charts']}>
        {measured.map((slo) => (
          <BudgetChart key={`${slo.name} ${slo.zone}`} slo={slo} {...ref} />
        ))}
      </div>
    </Section>
  );
}

const none: number[] = [];

function BudgetChart({ slo, org, product }: Ref & { slo: Slo }) {
  const { name, zone, window } = slo;
  const { data, error } = useQuery(sloBudgetQuery({ org, product, slo: name, zone }));
  const usage = useMemo(() => toUsage(name, data?.points ?? []), [name, data]);
  const points = data?.points ?? [];
  const shown = points.filter((_, index) => index % Math.max(1, Math.ceil(points.length / 12)) === 0);
  const lowest = Math.min(...points.map(({ budgetLeft }) => budgetLeft));
  return (
    <figure className={chart['chart']}>
      <figcaption>
        <h3>
          {name} in {zone}
        </h3>
        <span className="small dim">
          {error
            ? error.message
            : points.length === 0
              ? 'Nothing was measured yet.'
              : `Budget left in %, ${formatWindow(window)}`}
        </span>
      </figcaption>
      {points.length > 0 && (
        <>
          <Suspense fallback={<div className={chart['space']} />}>
            <UsagePlot
              usage={usage}
              hours={168}
              restarts={none}
              label={`Error budget left of ${name} in ${zone}: now ${formatShare(points.at(-1)?.budgetLeft ?? 0, 1)}, lowest ${formatShare(lowest, 1)}`}
            />
          </Suspense>
          <details>
            <summary>As a table</summary>
            <table className={`${table['tbl']} ${table['tight']} ${table['wide']}`}>
              <thead>
                <tr>
                  <th scope="col">Time</th>
                  <th scope="col" className={table['n']}>
                    Budget left
                  </th>
                </tr>
              </thead>
              <tbody>
                {shown.map(({ at, budgetLeft }) => (
                  <tr key={at}>
                    <th scope="row">
                      <Time at={at} />
                    </th>
                    <td className={table['n']}>{formatShare(budgetLeft, 1)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        </>
      )}
    </figure>
  );
}

/** The chart starts at zero: a budget that is overspent is shown as none. */
function toUsage(name: string, points: { at: string; budgetLeft: number }[]) {
  const values = points.map(({ budgetLeft }) => Math.max(0, budgetLeft * 100));
  const summary = { min: Math.min(...values), max: Math.max(...values), mean: 0, last: values.at(-1) ?? 0 };
  return {
    unit: { size: 1, name: '%' },
    times: points.map(({ at }) => Date.parse(at) / 1_000),
    pods: [{ name, values, summary }],
    summary,
  };
}
