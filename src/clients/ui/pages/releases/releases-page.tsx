import { useSuspenseInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Suspense, type ReactNode } from 'react';
import { productQuery } from '../../api/queries/products.ts';
import {
  releasePagesQuery,
  releasePhases,
  type ReleasePhase,
  type ReleasesFilter,
} from '../../api/queries/releases.ts';
import { useLive } from '../../live/live.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { SearchInput } from '../../parts/search-input.tsx';
import { Empty, PageHead } from '../../parts/page.tsx';
import { toWords } from '../../parts/phase-state.ts';
import { ProblemNotice } from '../../parts/problem.tsx';
import { ProductHead } from '../../parts/product-head.tsx';
import { ReleasesTable } from '../../parts/releases-table.tsx';
import { Select } from '../../parts/select.tsx';
import { defined } from '../../shell/search.ts';
import styles from './releases.module.css';
import { lazyPart } from '../../parts/lazy-file.ts';

const StartRelease = lazyPart(async () => (await import('./start-release.tsx')).StartRelease);

const route = getRouteApi('/signed-in/$org/releases');

/** The Releases of an org or of one Product, the newest first. */
export function ReleasesPage() {
  const { org } = route.useParams();
  const filter = route.useSearch();
  useLive({ kind: 'releases', org });
  if (filter.product !== undefined) return <OfProduct org={org} name={filter.product} />;
  return (
    <>
      <PageHead title="Releases">The versions of all Products of {org}, the newest first.</PageHead>
      <Filter org={org} filter={filter} />
      <List org={org} filter={filter} />
    </>
  );
}

function OfProduct({ org, name }: { org: string; name: string }) {
  const { data: product } = useSuspenseQuery(productQuery(org, name));
  const navigate = useNavigate();
  const { start, ...filter } = route.useSearch();
  const action = product.actions.find((one) => one.name === 'startRelease');
  const why = action?.allowed === true ? undefined : action?.message;
  return (
    <>
      <ProductHead product={product} tab="Releases" />
      <Filter org={org} filter={filter}>
        {why === undefined ? (
          <ButtonLink look="primary" to="/$org/releases" params={{ org }} search={{ ...filter, start: true }}>
            Start a Release…
          </ButtonLink>
        ) : (
          <>
            <span className="dim small">{why}</span>
            <Button why={why}>Start a Release…</Button>
          </>
        )}
      </Filter>
      <List org={org} filter={filter} zones={product.spec.delivery.zones.map((zone) => zone.name)} />
      {start === true && why === undefined && (
        <Suspense>
          <StartRelease
            product={product}
            onClose={() => void navigate({ to: '/$org/releases', params: { org }, search: filter })}
          />
        </Suspense>
      )}
    </>
  );
}

function Filter({ org, filter, children }: { org: string; filter: ReleasesFilter; children?: ReactNode }) {
  const navigate = useNavigate();
  const set = (change: ReleasesFilter, replace = false): void =>
    void navigate({
      to: '/$org/releases',
      params: { org },
      search: defined({ ...filter, ...change }),
      replace,
    });
  return (
    <form className={styles['filter']} role="search" onSubmit={(event) => event.preventDefault()}>
      <label className="sr" htmlFor="releases-q">
        Version or commit
      </label>
      <SearchInput
        id="releases-q"
        placeholder="Version or commit"
        words={filter.q ?? ''}
        onSearch={(words, isFurther) => set({ q: words === '' ? undefined : words }, isFurther)}
      />
      <Select
        label="Phase"
        value={filter.phase ?? ''}
        options={[['', 'All phases'], ...releasePhases.map((phase): [string, string] => [phase, toWords(phase)])]}
        onChange={(phase) => set({ phase: phase === '' ? undefined : (phase as ReleasePhase) })}
      />
      {children && <span className="push row wrap">{children}</span>}
    </form>
  );
}

function List({ org, filter, zones }: { org: string; filter: ReleasesFilter; zones?: string[] }) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery(
    releasePagesQuery(org, filter),
  );
  const releases = data.pages.flatMap(({ items }) => items);
  const isFiltered = filter.phase !== undefined || filter.q !== undefined;
  if (releases.length === 0)
    return (
      <Empty title={isFiltered ? 'No Release matches' : 'No Release yet'}>
        <p>
          A Release is one version of a Product: built once, and promoted from zone to zone. A merged Change starts one.
        </p>
        {isFiltered && (
          <Link to="/$org/releases" params={{ org }} search={filter.product ? { product: filter.product } : {}}>
            Show all Releases
          </Link>
        )}
      </Empty>
    );
  return (
    <>
      <ReleasesTable releases={releases} {...(zones && { zones })} />
      {error && <ProblemNotice error={error} />}
      {hasNextPage && (
        <p className={styles['more']}>
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older Releases
          </Button>
        </p>
      )}
    </>
  );
}
