import { Link } from '@tanstack/react-router';
import type { ChangeSummary, Product } from '../../api/types.ts';
import { Logo } from '../../parts/logo.tsx';
import { Mark, Phase } from '../../parts/state.tsx';
import table from '../../parts/table.module.css';
import { Age } from '../../parts/time.tsx';
import { toZoneState } from '../../parts/zone-chip.tsx';
import styles from './products.module.css';

/** A Product with its first and last zone, and its newest Change. */
export function ProductRow({ product, change }: { product: Product; change: ChangeSummary | undefined }) {
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
    </tr>
  );
}

function describe({ spec, status }: Product): string {
  const phase = status?.scaffold?.phase;
  if (phase === 'Failed') return 'Its repo could not be made';
  if (spec.source && phase !== 'Succeeded') return 'Its repo is being made';
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
