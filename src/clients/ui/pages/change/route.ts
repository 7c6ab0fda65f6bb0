import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { changeQuery } from '../../api/queries/changes.ts';
import { signedIn } from '../../shell/parents.tsx';

export const changeRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/changes/$run',
  loader: async ({ context, params: { org, run } }) => await context.queryClient.ensureQueryData(changeQuery(org, run)),
  component: lazyRouteComponent(() => import('./change-page.tsx'), 'ChangePage'),
});
