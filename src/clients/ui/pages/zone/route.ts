import { createRoute } from '@tanstack/react-router';
import { zoneQuery } from '../../api/queries/zones.ts';
import { signedIn } from '../../shell/parents.tsx';
import { defined, pickTexts } from '../../shell/search.ts';
import { lazyPage } from '../../parts/lazy-file.ts';

export const windows = [1, 6, 24, 168] as const;
export const lineCounts = [100, 200, 1000] as const;
export const logLevels = ['warn', 'error'] as const;

/** The state of the view: the window of the charts, or the filters of the logs. */
export type ZoneSearch = {
  hours?: (typeof windows)[number];
  tab?: 'logs';
  lines?: (typeof lineCounts)[number];
  pod?: string;
  container?: string;
  contains?: string;
  level?: (typeof logLevels)[number];
  previous?: true;
  wrap?: true;
  line?: string;
};

const pick = <T>(known: readonly T[], value: unknown): T | undefined => known.find((one) => one === value);

export const zoneRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/products/$product/zones/$zone',
  validateSearch: (search): ZoneSearch => {
    return defined({
      ...pickTexts(search, 'pod', 'container', 'contains', 'line'),
      hours: pick(windows, search['hours']),
      tab: pick(['logs'] as const, search['tab']),
      lines: pick(lineCounts, search['lines']),
      level: pick(logLevels, search['level']),
      previous: pick([true] as const, search['previous']),
      wrap: pick([true] as const, search['wrap']),
    });
  },
  loader: async ({ context, params }) => await context.queryClient.ensureQueryData(zoneQuery(params)),
  component: lazyPage(() => import('./zone-page.tsx'), 'ZonePage'),
});
