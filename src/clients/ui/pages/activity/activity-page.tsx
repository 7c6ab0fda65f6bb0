import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Pause, Table2 } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { activityQuery } from '../../api/queries/observability.ts';
import { productsQuery } from '../../api/queries/products.ts';
import { useLive } from '../../live/live.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Empty, PageHead } from '../../parts/page.tsx';
import { Segmented } from '../../parts/segmented.tsx';
import { Select } from '../../parts/select.tsx';
import { useNow } from '../../parts/time.tsx';
import { ActivityFigures } from './activity-figures.tsx';
import { LaneTable } from './lane-table.tsx';
import { Lanes } from './lanes.tsx';
import { OpenIncidents } from './open-incidents.tsx';
import type { ActivitySearch } from './route.ts';
import { RoleTable, StageTable } from './sum-tables.tsx';
import styles from './activity.module.css';
import { windows } from './windows.ts';
import { formatAmount } from '../../parts/format-amount.ts';

const route = getRouteApi('/signed-in/$org/activity');

/** The runs and Releases of the last hours as lanes, which grow. */
export function ActivityPage() {
  const { org } = route.useParams();
  const { window: hours = 6, product, view, after } = route.useSearch();
  const navigate = useNavigate({ from: '/$org/activity' });
  const { data: current } = useSuspenseQuery(activityQuery(org, { hours, product, after }));
  const { data: products } = useQuery(productsQuery(org));
  useLive({ kind: 'changes', org }, { kind: 'releases', org });
  const now = useDeferredValue(useNow(10_000));
  const [paused, setPaused] = useState<{
    shown: typeof current;
    now: number;
    key: string;
  }>();
  const { after: _, ...filter } = route.useSearch();
  const key = JSON.stringify([hours, product, after]);
  const isPaused = paused?.key === key;
  const data = isPaused ? paused.shown : current;
  const set = (changed: Partial<Record<keyof ActivitySearch, string | number>>): void =>
    void navigate({
      search: (old) => {
        const search = { ...old, ...changed };
        return {
          ...(search.window !== undefined && Number(search.window) !== 6 && { window: Number(search.window) }),
          ...(search.product && { product: String(search.product) }),
          ...(search.view === 'table' && { view: 'table' as const }),
        };
      },
      resetScroll: false,
    });
  return (
    <>
      <PageHead
        title="Activity"
        actions={
          <>
            <Segmented
              label="Window"
              value={String(hours)}
              options={windows}
              onChange={(value) => set({ window: value })}
            />
            <Select
              label="Product"
              value={product ?? ''}
              options={[
                ['', 'All Products'],
                ...(products?.items ?? []).map(({ name, spec }): [string, string] => [name, spec.displayName ?? name]),
              ]}
              onChange={(value) => set({ product: value })}
            />
            <Button
              aria-pressed={isPaused}
              onClick={() => setPaused(isPaused ? undefined : { shown: current, now, key })}
            >
              <Pause className="i s" aria-hidden="true" />
              Pause
            </Button>
            <Button aria-pressed={view === 'table'} onClick={() => set({ view: view === 'table' ? '' : 'table' })}>
              <Table2 className="i s" aria-hidden="true" />
              Table
            </Button>
          </>
        }
      >
        {describe(data, windows.find(([value]) => Number(value) === hours)?.[1] ?? '')}
      </PageHead>
      <OpenIncidents org={org} product={product} />
      <ActivityFigures org={org} activity={data} />
      {data.items.length === 0 ? (
        <Empty title="Nothing happened in this time">
          <p>Runs and Releases appear here as soon as they start.</p>
        </Empty>
      ) : view === 'table' ? (
        <LaneTable org={org} lanes={data.items} />
      ) : (
        <Lanes org={org} activity={data} now={isPaused ? paused.now : now} />
      )}
      {(data.continue ?? after) !== undefined && (
        <nav className={styles['pages']} aria-label="Pages">
          <span className="dim small">{formatAmount(data.items.length, 'lane')} shown; the sums are of all.</span>
          {after !== undefined && (
            <ButtonLink to="/$org/activity" params={{ org }} search={{ ...filter }}>
              Latest lanes
            </ButtonLink>
          )}
          {data.continue !== undefined && (
            <ButtonLink to="/$org/activity" params={{ org }} search={{ ...filter, after: data.continue }}>
              Older lanes
            </ButtonLink>
          )}
        </nav>
      )}
      <div className={styles['halves']}>
        <RoleTable roles={data.byRole} />
        <StageTable stages={data.byStage} />
      </div>
    </>
  );
}

function describe(
  { runs, releases, goingOn, waiting }: { runs: number; releases: number; goingOn: number; waiting: number },
  label: string,
): string {
  const window = label === 'Day' || label === 'Week' ? label.toLowerCase() : label;
  return `${formatAmount(runs, 'run')} and ${formatAmount(releases, 'Release')} in the last ${window}; ${goingOn} going on, ${waiting} waiting for a person`;
}
