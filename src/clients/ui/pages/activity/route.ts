import { createRoute } from '@tanstack/react-router';
import { activityQuery } from '../../api/queries/observability.ts';
import { pickTexts } from '../../shell/search.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';
import { windows } from './windows.ts';

export type ActivitySearch = { window?: number; product?: string; view?: 'table'; after?: string };

export const activityRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/activity',
  validateSearch: (search): ActivitySearch => {
    const window = windows.map(([one]) => Number(one)).find((one) => one === Number(search['window']));
    return {
      ...(window !== undefined && { window }),
      ...pickTexts(search, 'product', 'after'),
      ...(search['view'] === 'table' && { view: 'table' as const }),
    };
  },
  loaderDeps: ({ search: { window, product, after } }) => ({ window, product, after }),
  loader: async ({ context: { queryClient }, params: { org }, deps: { window: hours = 6, product, after } }) =>
    await queryClient.ensureQueryData(activityQuery(org, { hours, product, after })),
  component: lazyPage(() => import('./activity-page.tsx'), 'ActivityPage'),
});
