import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { changesQuery, phases } from '../../api/queries/changes.ts';
import { productsQuery } from '../../api/queries/products.ts';
import { useLive } from '../../live/live.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { ChangesTable } from '../../parts/changes-table.tsx';
import { SearchInput } from '../../parts/search-input.tsx';
import { Empty, PageHead } from '../../parts/page.tsx';
import { toWords } from '../../parts/phase-state.ts';
import { ProductSelect } from '../../parts/product-select.tsx';
import { Select } from '../../parts/select.tsx';
import styles from './changes.module.css';
import type { ChangesSearch } from './route.ts';
import { lazyPart } from '../../parts/lazy-file.ts';

const StartChange = lazyPart(async () => (await import('../../parts/start-change.tsx')).StartChange);
const route = getRouteApi('/signed-in/$org/changes');

const phaseOptions: [string, string][] = [
  ['', 'All phases'],
  ['Active', 'In progress'],
  ['Waiting', 'Waiting for someone'],
  ...phases.map((phase): [string, string] => [phase, toWords(phase)]),
];

/** The Changes of an org, the newest first, one page at a time. */
export function ChangesPage() {
  const { org } = route.useParams();
  const filter = route.useSearch();
  const navigate = useNavigate({ from: '/$org/changes' });
  const { data } = useSuspenseQuery(changesQuery(org, filter));
  const { data: products } = useQuery(productsQuery(org));
  useLive({ kind: 'changes', org });
  const [isStarting, setStarting] = useState(false);
  const set = (name: keyof ChangesSearch, value: string, replace = false): void =>
    void navigate({
      replace,
      search: ({ [name]: _old, after: _after, ...rest }) => ({ ...rest, ...(value !== '' && { [name]: value }) }),
    });
  const starts = products?.items.flatMap(({ actions }) => actions.filter((one) => one.name === 'startRun'));
  // A press counts before the Products are known: the dialog reads them too.
  const whyNot =
    !starts || starts.some(({ allowed }) => allowed)
      ? undefined
      : (starts[0]?.message ?? 'The org has no Product yet. Create one first.');
  const isFiltered = Object.keys(filter).length > 0;
  const { after: _after, ...firstPage } = filter;
  return (
    <>
      <PageHead
        title="Changes"
        actions={
          <div className={styles['filters']}>
            <SearchInput
              className={styles['filter'] ?? ''}
              aria-label="Filter by title or name"
              placeholder="Filter"
              words={filter.q ?? ''}
              onSearch={(words, isFurther) => set('q', words, isFurther)}
            />
            <ProductSelect org={org} value={filter.product} onChange={(value) => set('product', value)} />
            <Select
              label="Phase"
              value={filter.phase ?? ''}
              options={phaseOptions}
              onChange={(value) => set('phase', value)}
            />
            <Button look="primary" why={whyNot} onClick={() => setStarting(true)}>
              Start a Change…
            </Button>
          </div>
        }
      >
        The work of agents on the issues of {filter.product ?? org}, the newest first.
      </PageHead>
      {data.items.length === 0 ? (
        <Empty title={isFiltered ? 'No Change matches' : 'No Change yet'}>
          <p>A Change is the work on one issue or pull request. A label on an issue starts one, or a person does.</p>
          {isFiltered && (
            <Link to="/$org/changes" params={{ org }}>
              Show all Changes
            </Link>
          )}
        </Empty>
      ) : (
        <ChangesTable changes={data.items} withProduct={filter.product === undefined} />
      )}
      <nav className={styles['pages']} aria-label="Pages">
        {filter.after !== undefined && (
          <ButtonLink to="/$org/changes" params={{ org }} search={firstPage}>
            Newest
          </ButtonLink>
        )}
        {data.continue !== undefined && (
          <ButtonLink to="/$org/changes" params={{ org }} search={{ ...firstPage, after: data.continue }}>
            Older Changes
          </ButtonLink>
        )}
      </nav>
      {isStarting && whyNot === undefined && (
        <Suspense>
          <StartChange org={org} product={filter.product} onClose={() => setStarting(false)} />
        </Suspense>
      )}
    </>
  );
}
