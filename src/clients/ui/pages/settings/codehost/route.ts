import { createRoute } from '@tanstack/react-router';
import { orgQuery } from '../../../api/queries/products.ts';
import { codehostQuery } from '../../../api/queries/settings.ts';
import { orgSettings } from '../parents.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';

export const codehostRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/codehost',
  loader: async ({ context: { queryClient }, params: { org } }) =>
    await Promise.all([queryClient.ensureQueryData(codehostQuery(org)), queryClient.ensureQueryData(orgQuery(org))]),
  component: lazyPage(() => import('./codehost-page.tsx'), 'CodehostPage'),
});
