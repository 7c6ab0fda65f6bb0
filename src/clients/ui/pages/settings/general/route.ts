import { createRoute } from '@tanstack/react-router';
import { orgQuery } from '../../../api/queries/products.ts';
import { codehostQuery } from '../../../api/queries/settings.ts';
import { modelProviderQuery } from '../../../api/queries/agents.ts';
import { orgSettings } from '../parents.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';

export const generalRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/',
  loader: async ({ context: { queryClient }, params: { org } }) =>
    await Promise.all([
      queryClient.ensureQueryData(orgQuery(org)),
      queryClient.ensureQueryData(codehostQuery(org)),
      queryClient.ensureQueryData(modelProviderQuery(org)),
    ]),
  component: lazyPage(() => import('./general-page.tsx'), 'GeneralPage'),
});
