import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { agentWorkflowsQuery } from '../../../api/queries/agents.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { orgSettings } from '../parents.ts';

export const schedulingRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/scheduling',
  loader: async ({ context: { queryClient }, params: { org } }) =>
    await Promise.all([
      queryClient.ensureQueryData(orgQuery(org)),
      queryClient.ensureQueryData(agentWorkflowsQuery(org)),
    ]),
  component: lazyRouteComponent(() => import('./scheduling-page.tsx'), 'SchedulingPage'),
});
