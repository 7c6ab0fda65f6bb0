import { createRoute } from '@tanstack/react-router';
import { productQuery } from '../../api/queries/products.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

export const productSettingsRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/products/$product/settings',
  validateSearch: (search): { delete?: true } => (search['delete'] === true ? { delete: true } : {}),
  loader: async ({ context: { queryClient }, params: { org, product } }) =>
    await queryClient.ensureQueryData(productQuery(org, product)),
  component: lazyPage(() => import('./product-settings-page.tsx'), 'ProductSettingsPage'),
});
