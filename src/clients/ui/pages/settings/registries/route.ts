import { createRoute } from '@tanstack/react-router';
import { registriesQuery } from '../../../api/queries/registries.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';
import { orgSettings } from '../parents.ts';

export const registriesRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/registries',
  loader: async ({ context: { queryClient }, params: { org } }) =>
    await queryClient.ensureQueryData(registriesQuery(org)),
  component: lazyPage(() => import('./registries-page.tsx'), 'RegistriesPage'),
});
