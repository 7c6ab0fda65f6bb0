import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { tokensQuery } from '../../../api/queries/settings.ts';
import { ownSettings } from '../parents.ts';

export const tokensRoute = createRoute({
  getParentRoute: () => ownSettings,
  path: '/tokens',
  loader: async ({ context: { queryClient } }) => await queryClient.ensureQueryData(tokensQuery),
  component: lazyRouteComponent(() => import('./tokens-page.tsx'), 'TokensPage'),
});
