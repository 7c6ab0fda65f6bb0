import { createRoute } from '@tanstack/react-router';
import { tokensQuery } from '../../../api/queries/settings.ts';
import { ownSettings } from '../parents.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';

export const tokensRoute = createRoute({
  getParentRoute: () => ownSettings,
  path: '/tokens',
  loader: async ({ context: { queryClient } }) => await queryClient.ensureQueryData(tokensQuery),
  component: lazyPage(() => import('./tokens-page.tsx'), 'TokensPage'),
});
