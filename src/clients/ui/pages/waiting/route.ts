import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { waitingQuery } from '../../api/queries/me.ts';
import { signedIn } from '../../shell/parents.tsx';

export const waitingRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: (search): { whose?: 'all' } => (search['whose'] === 'all' ? { whose: 'all' } : {}),
  loader: async ({ context }) => await context.queryClient.ensureQueryData(waitingQuery),
  component: lazyRouteComponent(() => import('./waiting-page.tsx'), 'WaitingPage'),
});
