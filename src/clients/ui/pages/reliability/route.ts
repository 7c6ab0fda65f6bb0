import { createRoute } from '@tanstack/react-router';
import { productQuery } from '../../api/queries/products.ts';
import { slosQuery } from '../../api/queries/slos.ts';
import { lazyPage } from '../../parts/lazy-file.ts';
import { signedIn } from '../../shell/parents.tsx';

export const reliabilityRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/products/$product/reliability',
  loader: async ({ context: { queryClient }, params: { org, product } }) =>
    await Promise.all([
      queryClient.ensureQueryData(productQuery(org, product)),
      queryClient.ensureQueryData(slosQuery(org, product)),
    ]),
  component: lazyPage(() => import('./reliability-page.tsx'), 'ReliabilityPage'),
});
