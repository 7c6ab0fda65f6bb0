import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { setupQuery } from '../../api/queries/me.ts';
import { root } from '../../shell/parents.tsx';

export const setupRoute = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  loader: async ({ context }) => await context.queryClient.fetchQuery(setupQuery),
  component: lazyRouteComponent(() => import('./setup-page.tsx'), 'SetupPage'),
});
