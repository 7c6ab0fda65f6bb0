import { createRoute } from '@tanstack/react-router';
import { waitingQuery } from '../../api/queries/me.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

export const waitingRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: (search): { whose?: 'all' } => (search['whose'] === 'all' ? { whose: 'all' } : {}),
  loader: async ({ context }) => await context.queryClient.ensureQueryData(waitingQuery),
  component: lazyPage(() => import('./waiting-page.tsx'), 'WaitingPage'),
});
