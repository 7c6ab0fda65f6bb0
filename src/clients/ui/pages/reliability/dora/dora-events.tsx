import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import table from '../../../parts/table.module.css';
import { formatDuration, Time } from '../../../parts/time.tsx';
import type { Dora, Metric } from './measures.ts';

type Row = { key: string; cells: ReactNode[] };
type Table = { columns: string[]; rows: Row[] };

/** The events that a metric counts, newest first, with links to what they are. */
export function DoraEvents({ org, dora, metric }: { org: string; dora: Dora; metric: Metric }) {
  const { columns, rows } = toTable(org, dora, metric);
  if (rows.length === 0) return <p className="dim">Nothing counts for it in this time.</p>;
  return (
    <table className={table['tbl']}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells: [first, ...others] }) => (
          <tr key={key}>
            <th scope="row">{first}</th>
            {others.map((cell, index) => (
              <td key={columns[index + 1]} data-l={columns[index + 1]}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const formatSeconds = (seconds: number): string => formatDuration(seconds * 1_000);
const triggers = { release: 'Released', manual: 'Promoted', rollback: 'Rolled back' };

function toTable(org: string, dora: Dora, metric: Metric): Table {
  const toRelease = ({ release, version }: { release: string; version: string }): ReactNode => (
    <Link to="/$org/releases/$release" params={{ org, release }}>
      {version}
    </Link>
  );
  const toIncident = ({ name, title }: { name: string; title: string }): ReactNode => (
    <Link key={name} className="quiet" to="/$org/incidents/$name" params={{ org, name }}>
      {title}
    </Link>
  );
  if (metric === 'deploymentFrequency')
    return {
      columns: ['Release', 'Zone', 'How', 'By', 'When'],
      rows: dora[metric].events.map((one) => ({
        key: one.promotion,
        cells: [toRelease(one), one.zone, triggers[one.trigger], one.startedBy, <Time key="at" at={one.at} />],
      })),
    };
  if (metric === 'leadTime')
    return {
      columns: ['Change', 'Release', 'Zone', 'Lead time', 'When'],
      rows: dora[metric].events.map((one) => ({
        key: `${one.change} ${one.promotion}`,
        cells: [
          one.change === undefined ? (
            'Released by a person'
          ) : (
            <Link to="/$org/changes/$run" params={{ org, run: one.change }}>
              {one.change}
            </Link>
          ),
          toRelease(one),
          one.zone,
          formatSeconds(one.seconds),
          <Time key="at" at={one.at} />,
        ],
      })),
    };
  if (metric === 'changeFailureRate')
    return {
      columns: ['Release', 'Zone', 'Why it counts', 'Incident', 'Restored after', 'When'],
      rows: dora[metric].events.map((one) => ({
        key: one.promotion,
        cells: [
          toRelease(one),
          one.zone,
          one.reason === 'incident' ? 'Incident within 24 hours' : `Failed to promote: ${one.message ?? 'no reason'}`,
          one.incidents.length === 0 ? 'None' : one.incidents.map(toIncident),
          one.restoredSeconds === undefined ? '' : formatSeconds(one.restoredSeconds),
          <Time key="at" at={one.at} />,
        ],
      })),
    };
  return {
    columns: ['Incident', 'Zone', 'Severity', 'Restored after', 'When'],
    rows: dora[metric].events.map((one) => ({
      key: one.name,
      cells: [
        toIncident(one),
        one.zone ?? 'No single zone',
        one.severity,
        formatSeconds(one.seconds),
        <Time key="at" at={one.at} />,
      ],
    })),
  };
}
