import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import { incidentsQuery } from '../../api/queries/incidents.ts';
import { orgQuery, productsQuery } from '../../api/queries/products.ts';
import { useLive } from '../../live/live.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { CurlLine } from '../../parts/curl-line.tsx';
import { findRefusal } from '../../parts/find-refusal.ts';
import { severityWords } from '../../parts/incident-state.ts';
import { IncidentsTable } from '../../parts/incidents-table.tsx';
import { lazyPart } from '../../parts/lazy-file.ts';
import { Empty, PageHead } from '../../parts/page.tsx';
import { ProductSelect } from '../../parts/product-select.tsx';
import { SearchInput } from '../../parts/search-input.tsx';
import { Select } from '../../parts/select.tsx';
import { AcknowledgeAll } from './acknowledge-all.tsx';
import styles from './incidents.module.css';
import { toFilter, type IncidentsSearch } from './route.ts';

const OpenIncident = lazyPart(async () => (await import('./open-incident.tsx')).OpenIncident);
const route = getRouteApi('/signed-in/$org/incidents');

const stateOptions: [string, string][] = [
  ['', 'All states'],
  ['Unresolved', 'Not resolved'],
  ['Open', 'Open'],
  ['Acknowledged', 'Acknowledged'],
  ['Resolved', 'Resolved'],
];
const severityOptions: [string, string][] = [['', 'All severities'], ...Object.entries(severityWords)];

/** The incidents of an org: those that no one handles first, then those that are handled and those that are over. */
export function IncidentsPage() {
  const { org } = route.useParams();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/$org/incidents' });
  const { data } = useSuspenseQuery(incidentsQuery(org, toFilter(search)));
  const { data: organization } = useSuspenseQuery(orgQuery(org));
  const { data: products } = useQuery(productsQuery(org));
  useLive({ kind: 'incidents', org });
  const set = (name: keyof IncidentsSearch, value: string | true, replace = false): void =>
    void navigate({
      replace,
      search: ({ [name]: _old, after: _after, ...rest }) => ({ ...rest, ...(value !== '' && { [name]: value }) }),
    });
  const { report, after, ...filter } = search;
  const isFiltered = Object.keys(filter).length > 0;
  const whyNot =
    products?.items.length === 0
      ? 'The org has no Product yet. Create one first.'
      : findRefusal(organization.actions, 'openIncident');
  return (
    <>
      <PageHead
        title="Incidents"
        actions={
          <div className={styles['filters']}>
            <SearchInput
              className={styles['filter'] ?? ''}
              aria-label="Filter by title, alert or SLO"
              placeholder="Filter"
              words={filter.q ?? ''}
              onSearch={(words, isFurther) => set('q', words, isFurther)}
            />
            <ProductSelect org={org} value={filter.product} onChange={(value) => set('product', value)} />
            <Select
              label="State"
              value={filter.state ?? ''}
              options={stateOptions}
              onChange={(value) => set('state', value)}
            />
            <Select
              label="Severity"
              value={filter.severity ?? ''}
              options={severityOptions}
              onChange={(value) => set('severity', value)}
            />
            <Button look="primary" why={whyNot} onClick={() => set('report', true)}>
              Open an incident…
            </Button>
          </div>
        }
      >
        Open and past incidents of {filter.product ?? 'the Products of ' + org}. Alerts and people open and resolve
        them.
      </PageHead>
      {data.items.length === 0 ? (
        <Empty title={isFiltered ? 'No incident matches' : 'No incident yet'}>
          <p>An alert of an SLO opens an incident, or a person does for what no alert noticed.</p>
          {isFiltered && (
            <Link to="/$org/incidents" params={{ org }}>
              Show all incidents
            </Link>
          )}
        </Empty>
      ) : (
        <>
          <AcknowledgeAll org={org} incidents={data.items} />
          <IncidentsTable incidents={data.items} withProduct={filter.product === undefined} />
        </>
      )}
      {(after !== undefined || data.continue !== undefined) && (
        <nav className={styles['pages']} aria-label="Pages">
          {after !== undefined && (
            <ButtonLink to="/$org/incidents" params={{ org }} search={filter}>
              First page
            </ButtonLink>
          )}
          {data.continue !== undefined && (
            <ButtonLink to="/$org/incidents" params={{ org }} search={{ ...filter, after: data.continue }}>
              More incidents
            </ButtonLink>
          )}
        </nav>
      )}
      <CurlLine path={`/orgs/${org}/incidents`} />
      {report === true && whyNot === undefined && products && (
        <Suspense>
          <OpenIncident
            org={org}
            products={products.items}
            product={filter.product}
            onClose={() => void navigate({ search: ({ report: _report, ...rest }) => rest })}
          />
        </Suspense>
      )}
    </>
  );
}
