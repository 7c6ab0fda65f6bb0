import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { waitingQuery } from '../../api/queries/me.ts';
import { signedIn } from '../../shell/parents.tsx';

export const waitingRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  loader: async ({ context }) => await context.queryClient.ensureQueryData(waitingQuery),
  component: lazyRouteComponent(() => import('./waiting-page.tsx'), 'WaitingPage'),
});
