import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { domainsQuery } from '../../api/queries/domains.ts';
import { signedIn } from '../../shell/parents.tsx';

export const domainsRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/domains',
  loader: async ({ context, params: { org } }) => await context.queryClient.ensureQueryData(domainsQuery(org)),
  component: lazyRouteComponent(() => import('./domains-page.tsx'), 'DomainsPage'),
});
