import { Link } from '@tanstack/react-router';
import type { Incident } from '../api/queries/incidents.ts';
import { toActor, toIncidentMark, toIncidentWords, toOpenedAt } from './incident-state.ts';
import { Person } from './person.tsx';
import { Status } from './state.tsx';
import table from './table.module.css';
import { Elapsed, Time } from './time.tsx';

/** Incidents as rows: state, title, what they affect, who handles them, since when and for how long. */
export const IncidentsTable = ({
  incidents,
  withProduct = false,
}: {
  incidents: Incident[];
  withProduct?: boolean;
}) => (
  <table className={table['tbl']}>
    <thead>
      <tr>
        <th scope="col">State</th>
        <th scope="col">Incident</th>
        {withProduct && <th scope="col">Product</th>}
        <th scope="col">Zone</th>
        <th scope="col">Handled by</th>
        <th scope="col" className={table['n']}>
          Opened
        </th>
        <th scope="col" className={table['n']}>
          Took
        </th>
      </tr>
    </thead>
    <tbody>
      {incidents.map((incident) => (
        <Row key={incident.name} incident={incident} withProduct={withProduct} />
      ))}
    </tbody>
  </table>
);

function Row({ incident, withProduct }: { incident: Incident; withProduct: boolean }) {
  const { org, name, spec, status } = incident;
  const openedAt = toOpenedAt(incident);
  return (
    <tr>
      <td data-l="State" className="nowrap">
        <Status state={toIncidentMark(incident)} words={toIncidentWords(incident)} />
      </td>
      <th scope="row">
        <Link className={table['title']} to="/$org/incidents/$name" params={{ org, name }}>
          {spec.title}
        </Link>
      </th>
      {withProduct && (
        <td data-l="Product">
          <Link to="/$org/products/$product" params={{ org, product: spec.product }}>
            {spec.product}
          </Link>
        </td>
      )}
      <td data-l="Zone">{spec.zone ?? <span className="faint">No single zone</span>}</td>
      <td data-l="Handled by">
        <Handler status={status} />
      </td>
      <td data-l="Opened" className={table['n']}>
        <Time at={openedAt} />
      </td>
      <td data-l="Took" className={table['n']}>
        <Elapsed from={openedAt} to={status?.resolvedAt} />
      </td>
    </tr>
  );
}

/** Names the person who is on it, or who resolved it. */
function Handler({ status }: { status: Incident['status'] }) {
  const by = status?.acknowledgedBy ?? status?.resolvedBy;
  if (by === undefined) return <span className="faint">No one yet</span>;
  return by.includes('@') ? <Person email={by} /> : toActor(by);
}
