import { createRoute } from '@tanstack/react-router';
import { agentWorkflowsQuery, deliveriesQuery } from '../../../api/queries/agents.ts';
import { pickTexts } from '../../../shell/search.ts';
import { orgSettings } from '../parents.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';

export type DeliveriesSearch = { workflow?: string; outcome?: 'started' | 'nothing'; about?: string };

export const deliveriesRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/deliveries',
  validateSearch: (search): DeliveriesSearch => {
    const outcome = (['started', 'nothing'] as const).find((one) => one === search['outcome']);
    return {
      ...pickTexts(search, 'workflow', 'about'),
      ...(outcome && { outcome }),
    };
  },
  loaderDeps: ({ search: { workflow } }) => ({ workflow }),
  loader: async ({ context: { queryClient }, params: { org }, deps: { workflow } }) => {
    const workflows = await queryClient.ensureQueryData(agentWorkflowsQuery(org));
    const names = workflow === undefined ? workflows.items.map(({ name }) => name) : [workflow];
    await Promise.all(names.map((name) => queryClient.ensureQueryData(deliveriesQuery(org, name))));
  },
  component: lazyPage(() => import('./deliveries-page.tsx'), 'DeliveriesPage'),
});
