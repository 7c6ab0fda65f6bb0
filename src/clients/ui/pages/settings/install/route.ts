import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { statusQuery, usersQuery } from '../../../api/queries/settings.ts';
import { ownSettings } from '../parents.ts';

export const installRoute = createRoute({
  getParentRoute: () => ownSettings,
  path: '/',
  loader: async ({ context: { queryClient } }) => await queryClient.ensureQueryData(statusQuery),
  component: lazyRouteComponent(() => import('./install-page.tsx'), 'InstallPage'),
});

export const usersRoute = createRoute({
  getParentRoute: () => ownSettings,
  path: '/users',
  loader: async ({ context: { queryClient } }) => await queryClient.ensureQueryData(usersQuery),
  component: lazyRouteComponent(() => import('./users-page.tsx'), 'UsersPage'),
});

export const orgsRoute = createRoute({
  getParentRoute: () => ownSettings,
  path: '/orgs',
  component: lazyRouteComponent(() => import('./orgs-page.tsx'), 'OrgsPage'),
});
