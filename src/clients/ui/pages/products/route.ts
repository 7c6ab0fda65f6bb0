import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { changesQuery } from '../../api/queries/changes.ts';
import { productsQuery } from '../../api/queries/products.ts';
import { signedIn } from '../../shell/parents.tsx';

export const productsRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org',
  loader: async ({ context: { queryClient }, params: { org } }) =>
    await Promise.all([
      queryClient.ensureQueryData(productsQuery(org)),
      queryClient.ensureQueryData(changesQuery(org)),
    ]),
  component: lazyRouteComponent(() => import('./products-page.tsx'), 'ProductsPage'),
});
