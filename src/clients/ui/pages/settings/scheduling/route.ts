import { createRoute } from '@tanstack/react-router';
import { agentWorkflowsQuery } from '../../../api/queries/agents.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { orgSettings } from '../parents.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';

export const schedulingRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/scheduling',
  loader: async ({ context: { queryClient }, params: { org } }) =>
    await Promise.all([
      queryClient.ensureQueryData(orgQuery(org)),
      queryClient.ensureQueryData(agentWorkflowsQuery(org)),
    ]),
  component: lazyPage(() => import('./scheduling-page.tsx'), 'SchedulingPage'),
});
