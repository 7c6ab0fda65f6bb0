import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, redirect } from '@tanstack/react-router';
import { meQuery, setupQuery } from '../api/queries/me.ts';
import { ApiProblem } from '../api/request.ts';
import { statesWithMain } from '../parts/route-problem.tsx';
import { RootLayout } from './root-layout.tsx';
import { lazyPage } from '../parts/lazy-file.ts';

export const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: RootLayout });

/** The page of the reference does not load it. */
const Shell = lazyPage(() => import('./shell.tsx'), 'Shell');

/** The pages of a person who is signed in. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  ...statesWithMain,
  beforeLoad: async ({ context, location }) => {
    try {
      return { me: await context.queryClient.ensureQueryData(meQuery) };
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 401) throw error;
      const { rootUser } = await context.queryClient.ensureQueryData(setupQuery);
      if (!rootUser) throw redirect({ to: '/setup' });
      throw redirect({ to: '/signin', search: location.href === '/' ? {} : { to: location.href } });
    }
  },
  component: Shell,
});
