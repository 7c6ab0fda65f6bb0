import { createRoute } from '@tanstack/react-router';
import { sessionsQuery } from '../../../api/queries/settings.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';
import { ownSettings } from '../parents.ts';

export const accountRoute = createRoute({
  getParentRoute: () => ownSettings,
  path: '/account',
  loader: async ({ context: { queryClient } }) => await queryClient.ensureQueryData(sessionsQuery),
  component: lazyPage(() => import('./account-page.tsx'), 'AccountPage'),
});
