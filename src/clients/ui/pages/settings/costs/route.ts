import { createRoute } from '@tanstack/react-router';
import { costGroups, costsQuery, type CostGroup } from '../../../api/queries/agents.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { orgSettings } from '../parents.ts';
import { windows } from './windows.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';

export type CostsSearch = { by?: CostGroup; days?: number };

export const costsRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/costs',
  validateSearch: (search): CostsSearch => {
    const by = costGroups.find((one) => one === search['by']);
    const days = windows.find(([one]) => one === search['days'])?.[0];
    return { ...(by && { by }), ...(days !== undefined && { days }) };
  },
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { queryClient }, params: { org }, deps: { by = 'product', days = 30 } }) =>
    await Promise.all([
      queryClient.ensureQueryData(costsQuery(org, { groupBy: by, days })),
      queryClient.ensureQueryData(orgQuery(org)),
    ]),
  component: lazyPage(() => import('./costs-page.tsx'), 'CostsPage'),
});
