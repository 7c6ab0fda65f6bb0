import { createRoute } from '@tanstack/react-router';
import { statusQuery, usersQuery } from '../../../api/queries/settings.ts';
import { ownSettings } from '../parents.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';

export const installRoute = createRoute({
  getParentRoute: () => ownSettings,
  path: '/',
  loader: async ({ context: { queryClient } }) => await queryClient.ensureQueryData(statusQuery),
  component: lazyPage(() => import('./install-page.tsx'), 'InstallPage'),
});

export const usersRoute = createRoute({
  getParentRoute: () => ownSettings,
  path: '/users',
  loader: async ({ context: { queryClient } }) => await queryClient.ensureQueryData(usersQuery),
  component: lazyPage(() => import('./users-page.tsx'), 'UsersPage'),
});

export const orgsRoute = createRoute({
  getParentRoute: () => ownSettings,
  path: '/orgs',
  component: lazyPage(() => import('./orgs-page.tsx'), 'OrgsPage'),
});
