import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../../parts/lazy-file.ts';
import { ownSettings } from '../parents.ts';

export const clustersRoute = createRoute({
  getParentRoute: () => ownSettings,
  path: '/clusters',
  component: lazyPage(() => import('./clusters-page.tsx'), 'ClustersPage'),
});
