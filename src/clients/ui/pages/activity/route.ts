import { createRoute } from '@tanstack/react-router';
import { activityQuery } from '../../api/queries/observability.ts';
import { toText } from '../../shell/search.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';
import { windows } from './windows.ts';

export type ActivitySearch = { window?: number; product?: string; view?: 'table' };

export const activityRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/activity',
  validateSearch: (search): ActivitySearch => {
    const window = windows.map(([one]) => Number(one)).find((one) => one === Number(search['window']));
    const product = toText(search['product']);
    return {
      ...(window !== undefined && { window }),
      ...(product && { product }),
      ...(search['view'] === 'table' && { view: 'table' as const }),
    };
  },
  loaderDeps: ({ search: { window, product } }) => ({ window, product }),
  loader: async ({ context: { queryClient }, params: { org }, deps: { window: hours = 6, product } }) =>
    await queryClient.ensureQueryData(activityQuery(org, { hours, product })),
  component: lazyPage(() => import('./activity-page.tsx'), 'ActivityPage'),
});
