import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { productQuery } from '../../api/queries/products.ts';
import { signedIn } from '../../shell/parents.tsx';

export const newZoneRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/products/$product/zones/new',
  loader: async ({ context, params: { org, product } }) =>
    await context.queryClient.ensureQueryData(productQuery(org, product)),
  component: lazyRouteComponent(() => import('./new-zone-page.tsx'), 'NewZonePage'),
});
