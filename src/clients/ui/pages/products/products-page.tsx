import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { latestChangesQuery } from '../../api/queries/changes.ts';
import { orgQuery, productsQuery } from '../../api/queries/products.ts';
import { sloSummariesQuery } from '../../api/queries/slos.ts';
import type { ChangeSummary, Product } from '../../api/types.ts';
import { useLive } from '../../live/live.tsx';
import { CurlLine } from '../../parts/curl-line.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Empty, PageHead } from '../../parts/page.tsx';
import table from '../../parts/table.module.css';
import { useUnresolvedIncidents } from '../../parts/use-unresolved-incidents.ts';
import { ProductRow } from './product-row.tsx';
import { ProductsFilter } from './products-filter.tsx';
import { needsALook } from './needs-a-look.ts';
import { type IncidentSummary, summarizeIncidents } from './summarize-incidents.ts';
import styles from './products.module.css';
import { formatAmount } from '../../parts/format-amount.ts';

const route = getRouteApi('/signed-in/$org');
/** A row has about 35 elements, and a page at most 2,000. */
const rowsMax = 40;

/** The Products of an org, with the versions that run in their zones. */
export function ProductsPage() {
  const { org } = route.useParams();
  const { q = '', look, page: asked = 1 } = route.useSearch();
  const { data: products } = useSuspenseQuery(productsQuery(org));
  const { data: changes } = useSuspenseQuery(latestChangesQuery(org));
  // The page does not wait for Prometheus.
  const { data: objectives } = useQuery(sloSummariesQuery(org));
  const unresolved = useUnresolvedIncidents(org);
  /** Without all of them, the number of a Product is not known. */
  const toIncidents = ({ name }: Product): IncidentSummary | undefined =>
    unresolved.items && !unresolved.hasMore ? summarizeIncidents(unresolved.items, name) : undefined;
  useLive({ kind: 'changes', org }, { kind: 'products', org });
  const byProduct = new Map(changes.items.map((change) => [change.spec.product, change]));
  const lastChange = ({ name }: Product): ChangeSummary | undefined => byProduct.get(name);
  const slos = new Map(objectives?.items.map((one) => [one.product, one]));
  const { items } = products;
  if (items.length === 0) return <NoProducts org={org} />;
  const looks = items.filter((product) =>
    needsALook(product, lastChange(product), {
      slos: slos.get(product.name),
      incidents: toIncidents(product),
    }),
  );
  const matching = (look ? looks : items).filter((product) => matches(product, q));
  const pages = Math.max(1, Math.ceil(matching.length / rowsMax));
  // A link can name a page that is gone since Products were removed.
  const page = Math.min(asked, pages);
  const shown = matching.slice((page - 1) * rowsMax, page * rowsMax);
  const zones = items.reduce((sum, { spec }) => sum + spec.delivery.zones.length, 0);
  return (
    <>
      <PageHead
        title="Products"
        actions={
          <>
            <ProductsFilter org={org} q={q} look={look === true} all={items.length} looks={looks.length} />
            <AddProduct org={org} />
          </>
        }
      >
        {formatAmount(items.length, 'Product')}, {formatAmount(zones, 'zone')}
      </PageHead>
      {shown.length === 0 ? (
        <Empty title="No Product matches">
          <p>
            <Link to="/$org" params={{ org }}>
              Show all Products
            </Link>
          </p>
        </Empty>
      ) : (
        <table className={`${table['tbl']} ${styles['products']}`}>
          <thead>
            <tr>
              <th scope="col">Product</th>
              <th scope="col">Pre-production</th>
              <th scope="col">Production</th>
              <th scope="col">Last Change</th>
              <th scope="col">SLOs</th>
              <th scope="col" className={table['n']}>
                Incidents
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((product) => (
              <ProductRow
                key={product.name}
                product={product}
                change={lastChange(product)}
                slos={slos.get(product.name)}
                incidents={toIncidents(product)}
              />
            ))}
          </tbody>
        </table>
      )}
      {pages > 1 && <Pages org={org} page={page} pages={pages} />}
    </>
  );
}

function matches({ name, spec }: Product, q: string): boolean {
  const text = `${name} ${spec.displayName ?? ''} ${spec.description ?? ''}`.toLowerCase();
  return text.includes(q.trim().toLowerCase());
}

/** Says why when the person may not add a Product. */
function AddProduct({ org }: { org: string }) {
  const { data: organization } = useSuspenseQuery(orgQuery(org));
  const action = organization.actions.find(({ name }) => name === 'createProduct');
  if (action?.allowed !== true)
    return (
      <Button look="primary" why={action?.message ?? 'You may not add a Product.'}>
        New Product
      </Button>
    );
  return (
    <ButtonLink look="primary" to="/$org/products/new" params={{ org }}>
      New Product
    </ButtonLink>
  );
}

const NoProducts = ({ org }: { org: string }) => (
  <>
    <PageHead title="Products" />
    <Empty title="No Product yet">
      <p>
        A Product has the repos, zones and Releases of one thing that {org} ships. The first one can begin with a
        template, which builds and runs at once.
      </p>
      <AddProduct org={org} />
    </Empty>
    <CurlLine path={`/orgs/${org}/products`} body={{ name: 'hello', spec: { source: { template: 'node-service' } } }} />
  </>
);

const Pages = ({ org, page, pages }: { org: string; page: number; pages: number }) => (
  <nav className={`row ${styles['pages']}`} aria-label="Pages of Products">
    {page > 1 && (
      <ButtonLink small to="/$org" params={{ org }} search={(before) => ({ ...before, page: page - 1 })}>
        Previous
      </ButtonLink>
    )}
    <span className="dim small">
      Page {page} of {pages}
    </span>
    {page < pages && (
      <ButtonLink small to="/$org" params={{ org }} search={(before) => ({ ...before, page: page + 1 })}>
        Next
      </ButtonLink>
    )}
  </nav>
);
