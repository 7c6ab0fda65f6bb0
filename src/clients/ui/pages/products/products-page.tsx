import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { changesQuery } from '../../api/queries/changes.ts';
import { productsQuery } from '../../api/queries/products.ts';
import type { ChangeSummary, Product } from '../../api/types.ts';
import { useLive } from '../../live/live.tsx';
import { Logo } from '../../parts/logo.tsx';
import { Empty, PageHead } from '../../parts/page.tsx';
import { Phase } from '../../parts/state.tsx';
import table from '../../parts/table.module.css';
import { Age } from '../../parts/time.tsx';
import { ZoneChip } from '../../parts/zone-chip.tsx';

const route = getRouteApi('/signed-in/$org');

/** The Products of an org, with the versions that run in their zones. */
export function ProductsPage() {
  const { org } = route.useParams();
  const { data: products } = useSuspenseQuery(productsQuery(org));
  const { data: changes } = useSuspenseQuery(changesQuery(org));
  useLive({ kind: 'changes', org }, { kind: 'releases', org });
  const byProduct = Map.groupBy(changes.items, ({ spec }) => spec.product);
  return (
    <>
      <PageHead title="Products">{products.items.length > 0 && <>What {org} ships, and where it runs.</>}</PageHead>
      {products.items.length === 0 ? (
        <Empty title="No Product yet">
          <p>
            A Product has the repos, zones and Releases of one thing that {org} ships. Create the first one by the API:
          </p>
          <pre className={table['command']}>POST /api/v1/orgs/{org}/products</pre>
        </Empty>
      ) : (
        <table className={`${table['tbl']} ${table['mid']}`}>
          <thead>
            <tr>
              <th scope="col">Product</th>
              <th scope="col">Zones</th>
              <th scope="col">Last Change</th>
            </tr>
          </thead>
          <tbody>
            {products.items.map((product) => (
              <Row key={product.name} product={product} last={byProduct.get(product.name)?.[0]} />
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

function Row({ product, last }: { product: Product; last: ChangeSummary | undefined }) {
  const { org, name, spec, status } = product;
  return (
    <tr>
      <th scope="row">
        <span className="row">
          <Logo product={product} small />
          <Link className={table['title']} to="/$org/products/$product" params={{ org, product: name }}>
            {spec.displayName ?? name}
          </Link>
        </span>
      </th>
      <td data-l="Zones">
        <span className="row wrap">
          {spec.delivery.zones.map((zone) => (
            <ZoneChip key={zone.name} name={zone.name} status={status?.zones?.find((one) => one.name === zone.name)} />
          ))}
        </span>
      </td>
      <td data-l="Last Change">{last && <LastChange change={last} />}</td>
    </tr>
  );
}

const LastChange = ({ change: { org, name, status, spec, createdAt } }: { change: ChangeSummary }) => (
  <span className="row wrap">
    <Phase phase={status?.phase ?? 'Pending'} quiet />
    <Link to="/$org/changes/$run" params={{ org, run: name }}>
      {status?.issue?.title ?? spec.agentWorkflow}
    </Link>
    <span className="faint">
      <Age since={createdAt} />
    </span>
  </span>
);
