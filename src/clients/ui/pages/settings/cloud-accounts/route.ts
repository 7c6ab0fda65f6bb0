import { createRoute } from '@tanstack/react-router';
import { cloudAccountsQuery, cloudIdentityQuery } from '../../../api/queries/cloud-accounts.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';
import { orgSettings } from '../parents.ts';

export const cloudAccountsRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/cloud-accounts',
  loader: async ({ context: { queryClient }, params: { org } }) =>
    await Promise.all([
      queryClient.ensureQueryData(cloudAccountsQuery(org)),
      queryClient.ensureQueryData(cloudIdentityQuery),
    ]),
  component: lazyPage(() => import('./cloud-accounts-page.tsx'), 'CloudAccountsPage'),
});
