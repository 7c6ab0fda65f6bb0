import { createRoute } from '@tanstack/react-router';
import { agentRolesQuery, agentWorkflowQuery, agentWorkflowsQuery } from '../../../api/queries/agents.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { explanationQuery } from '../../../api/queries/settings.ts';
import { orgSettings } from '../parents.ts';
import { toViewSearch } from '../view-search.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';

export const workflowsRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/workflows',
  loader: async ({ context: { queryClient }, params: { org } }) =>
    await Promise.all([
      queryClient.ensureQueryData(agentWorkflowsQuery(org)),
      queryClient.ensureQueryData(orgQuery(org)),
    ]),
  component: lazyPage(() => import('./workflows-page.tsx'), 'WorkflowsPage'),
});

export const workflowRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/workflows/$workflow',
  validateSearch: toViewSearch,
  loader: async ({ context: { queryClient }, params: { org, workflow } }) =>
    await Promise.all([
      queryClient.ensureQueryData(agentWorkflowQuery(org, workflow)),
      queryClient.ensureQueryData(explanationQuery(org, `schedule:${workflow}`)),
      queryClient.ensureQueryData(agentRolesQuery(org)),
      queryClient.ensureQueryData(orgQuery(org)),
    ]),
  component: lazyPage(() => import('./workflow-page.tsx'), 'WorkflowPage'),
});
