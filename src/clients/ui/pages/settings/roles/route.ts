import { createRoute } from '@tanstack/react-router';
import { agentRoleQuery, agentRolesQuery, agentWorkflowsQuery } from '../../../api/queries/agents.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { orgSettings } from '../parents.ts';
import { toViewSearch } from '../view-search.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';

export const rolesRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/roles',
  loader: async ({ context: { queryClient }, params: { org } }) =>
    await Promise.all([
      queryClient.ensureQueryData(agentRolesQuery(org)),
      queryClient.ensureQueryData(agentWorkflowsQuery(org)),
      queryClient.ensureQueryData(orgQuery(org)),
    ]),
  component: lazyPage(() => import('./roles-page.tsx'), 'RolesPage'),
});

export const roleRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/roles/$role',
  validateSearch: toViewSearch,
  loader: async ({ context: { queryClient }, params: { org, role } }) =>
    await Promise.all([
      queryClient.ensureQueryData(agentRoleQuery(org, role)),
      queryClient.ensureQueryData(agentWorkflowsQuery(org)),
      queryClient.ensureQueryData(orgQuery(org)),
    ]),
  component: lazyPage(() => import('./role-page.tsx'), 'RolePage'),
});
