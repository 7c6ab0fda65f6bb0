import { createRoute } from '@tanstack/react-router';
import { licenseQuery } from '../../../api/queries/settings.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';
import { ownSettings } from '../parents.ts';

export const licenseRoute = createRoute({
  getParentRoute: () => ownSettings,
  path: '/licence',
  loader: async ({ context: { queryClient } }) => await queryClient.ensureQueryData(licenseQuery),
  component: lazyPage(() => import('./license-page.tsx'), 'LicensePage'),
});
