import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/generated/openapi.ts';
import type { ChangeSummary, Product } from '../../api/types.ts';
import { Logo } from '../../parts/logo.tsx';
import { Mark, Phase, Status } from '../../parts/state.tsx';
import table from '../../parts/table.module.css';
import { Age } from '../../parts/time.tsx';
import { toZoneState } from '../../parts/zone-chip.tsx';
import { formatMet, toSloState, toSloWords } from '../reliability/slos/slo-words.ts';
import styles from './products.module.css';
import type { IncidentSummary } from './summarize-incidents.ts';

type SloSummary = Schemas['SloSummary'];

/** A Product with its first and last zone, its newest Change, how many objectives it meets and its worst incidents. */
export function ProductRow({
  product,
  change,
  slos,
  incidents,
}: {
  product: Product;
  change: ChangeSummary | undefined;
  slos: SloSummary | undefined;
  incidents: IncidentSummary | undefined;
}) {
  const { org, name, spec } = product;
  const { zones } = spec.delivery;
  const first = zones.length > 1 ? zones[0]?.name : undefined;
  const last = zones.at(-1)?.name;
  return (
    <tr>
      <th scope="row" className={styles['name']}>
        <Logo product={product} small />
        <Link className={table['title']} to="/$org/products/$product" params={{ org, product: name }}>
          {spec.displayName ?? name}
        </Link>
        <small>{describe(product)}</small>
      </th>
      <td data-l="Pre-production">{first !== undefined && <ZoneCell product={product} name={first} />}</td>
      <td data-l="Production">
        {last !== undefined && <ZoneCell product={product} name={last} />}
        {zones.length > 2 && <small>and {zones.length - 2} between</small>}
      </td>
      <td data-l="Last Change">{change && <LastChange change={change} />}</td>
      <td data-l="SLOs">{slos && <Objectives org={org} slos={slos} />}</td>
      <td data-l="Incidents" className={table['n']}>
        {incidents?.severity ? (
          <Link to="/$org/incidents" params={{ org }} search={{ product: name, state: 'Unresolved' }}>
            {incidents.count} {incidents.severity}
          </Link>
        ) : (
          incidents?.count
        )}
      </td>
    </tr>
  );
}

function describe({ spec, status }: Product): string {
  const phase = status?.scaffold?.phase;
  if (phase === 'Failed') return 'Its repo could not be created';
  if (spec.source && phase !== 'Succeeded') return 'Its repo is being created';
  return spec.description ?? spec.repos.join(', ');
}

function ZoneCell({ product: { status }, name }: { product: Product; name: string }) {
  const zone = status?.zones?.find((one) => one.name === name);
  const { state, words } = toZoneState(zone);
  return (
    <div className={styles['zone']} data-state={state} title={name}>
      <Mark state={state} />
      {zone?.version ?? 'Empty'}
      <small>
        {words}
        {state === 'done' && zone?.verifiedAt !== undefined && (
          <>
            , <Age since={zone.verifiedAt} />
          </>
        )}
      </small>
    </div>
  );
}

const LastChange = ({ change: { org, name, status, spec } }: { change: ChangeSummary }) => (
  <>
    <Link className="quiet" to="/$org/changes/$run" params={{ org, run: name }}>
      {status?.issue?.title ?? spec.agentWorkflow}
    </Link>
    <br />
    <Phase phase={status?.phase ?? 'Pending'} quiet />
  </>
);

const Objectives = ({ org, slos }: { org: string; slos: SloSummary }) => (
  <>
    <Link className="quiet nowrap" to="/$org/products/$product/reliability" params={{ org, product: slos.product }}>
      <Status state={toSloState(slos)} words={slos.state === 'unavailable' ? toSloWords(slos) : formatMet(slos)} />
    </Link>
    {['spent', 'burning'].includes(slos.state) && <small>{toSloWords(slos)}</small>}
  </>
);
