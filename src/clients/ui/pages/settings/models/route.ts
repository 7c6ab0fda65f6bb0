import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { modelProviderQuery } from '../../../api/queries/agents.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { orgSettings } from '../parents.ts';

export const modelsRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/models',
  loader: async ({ context: { queryClient }, params: { org } }) =>
    await Promise.all([
      queryClient.ensureQueryData(modelProviderQuery(org)),
      queryClient.ensureQueryData(orgQuery(org)),
    ]),
  component: lazyRouteComponent(() => import('./models-page.tsx'), 'ModelsPage'),
});
