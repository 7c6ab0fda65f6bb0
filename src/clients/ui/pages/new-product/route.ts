import { createRoute } from '@tanstack/react-router';
import { orgQuery, templatesQuery } from '../../api/queries/products.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

export const origins = ['template', 'archive', 'repo'] as const;
export type Origin = (typeof origins)[number];

export const newProductRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/products/new',
  validateSearch: (search): { from?: Origin } => {
    const from = origins.find((one) => one === search['from']);
    return from ? { from } : {};
  },
  loader: async ({ context: { queryClient }, params: { org } }) =>
    await Promise.all([queryClient.ensureQueryData(orgQuery(org)), queryClient.ensureQueryData(templatesQuery)]),
  component: lazyPage(() => import('./new-product-page.tsx'), 'NewProductPage'),
});
