import { createRoute } from '@tanstack/react-router';
import { productQuery } from '../../api/queries/products.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

export const newZoneRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/products/$product/zones/new',
  loader: async ({ context, params: { org, product } }) =>
    await context.queryClient.ensureQueryData(productQuery(org, product)),
  component: lazyPage(() => import('./new-zone-page.tsx'), 'NewZonePage'),
});
