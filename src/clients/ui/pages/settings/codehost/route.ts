import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { orgQuery } from '../../../api/queries/products.ts';
import { codehostQuery } from '../../../api/queries/settings.ts';
import { orgSettings } from '../parents.ts';

export const codehostRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/codehost',
  loader: async ({ context: { queryClient }, params: { org } }) =>
    await Promise.all([queryClient.ensureQueryData(codehostQuery(org)), queryClient.ensureQueryData(orgQuery(org))]),
  component: lazyRouteComponent(() => import('./codehost-page.tsx'), 'CodehostPage'),
});
