import { createRoute } from '@tanstack/react-router';
import { modelProviderQuery } from '../../../api/queries/agents.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { orgSettings } from '../parents.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';

export const modelsRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/models',
  loader: async ({ context: { queryClient }, params: { org } }) =>
    await Promise.all([
      queryClient.ensureQueryData(modelProviderQuery(org)),
      queryClient.ensureQueryData(orgQuery(org)),
    ]),
  component: lazyPage(() => import('./models-page.tsx'), 'ModelsPage'),
});
