import { createRoute } from '@tanstack/react-router';
import { productDoraQuery } from '../../api/queries/observability.ts';
import { productQuery } from '../../api/queries/products.ts';
import { slosQuery } from '../../api/queries/slos.ts';
import { lazyPage } from '../../parts/lazy-file.ts';
import { signedIn } from '../../shell/parents.tsx';
import { metrics, type Metric } from './dora/measures.ts';

export type ReliabilitySearch = { delivery?: 30 | 90; metric?: Metric };

export const reliabilityRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/products/$product/reliability',
  validateSearch: (search): ReliabilitySearch => {
    const metric = metrics.find((one) => one === search['metric']);
    return { ...(search['delivery'] === 90 && { delivery: 90 }), ...(metric && { metric }) };
  },
  loaderDeps: ({ search: { delivery } }) => ({ delivery }),
  loader: async ({ context: { queryClient }, params: { org, product }, deps: { delivery } }) =>
    await Promise.all([
      queryClient.ensureQueryData(productQuery(org, product)),
      queryClient.ensureQueryData(slosQuery(org, product)),
      queryClient.ensureQueryData(productDoraQuery(org, product, delivery)),
    ]),
  component: lazyPage(() => import('./reliability-page.tsx'), 'ReliabilityPage'),
});
