import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { productQuery } from '../../api/queries/products.ts';
import { signedIn } from '../../shell/parents.tsx';

export const productSettingsRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/products/$product/settings',
  validateSearch: (search): { delete?: true } => (search['delete'] === true ? { delete: true } : {}),
  loader: async ({ context: { queryClient }, params: { org, product } }) =>
    await queryClient.ensureQueryData(productQuery(org, product)),
  component: lazyRouteComponent(() => import('./product-settings-page.tsx'), 'ProductSettingsPage'),
});
