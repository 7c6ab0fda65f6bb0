import { createRoute } from '@tanstack/react-router';
import { domainsQuery } from '../../api/queries/domains.ts';
import { orgQuery } from '../../api/queries/products.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

export const domainsRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/domains',
  loader: async ({ context: { queryClient }, params: { org } }) =>
    await Promise.all([queryClient.ensureQueryData(domainsQuery(org)), queryClient.ensureQueryData(orgQuery(org))]),
  component: lazyPage(() => import('./domains-page.tsx'), 'DomainsPage'),
});
