import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { forgetGone } from './api/forget-gone.ts';
import { meQuery } from './api/queries/me.ts';
import { ApiProblem } from './api/request.ts';
import { isAway, isPaused } from './live/live-state.ts';
import { onSignedOut } from './live/live.tsx';
import { PendingPage } from './parts/page.tsx';
import { NotFound, RouteProblem } from './parts/route-problem.tsx';
import { watchCacheOwner } from './shell/cache-owner.ts';
import { expectFocus } from './shell/focus.ts';
import { signedIn } from './shell/parents.tsx';
import { keepTypedText, watchTyping } from './shell/typed-text.ts';
import { routeTree } from './routes.ts';

/** Creates the router and the cache of server data; a 401 anywhere leads to the sign-in page and back. */
export function createUiRouter() {
  watchTyping();
  const onError = (error: Error): void => {
    if (error instanceof ApiProblem && error.status === 401 && error.reason !== 'invalid-credentials') leaveToSignIn();
  };
  const queryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        onError(error);
        forgetGone(error, query);
      },
    }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // A browser without a network still reaches a service on its machine.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: 5_000,
        // A paused page would delay the next attempt until updates resume.
        retry: (count, error) =>
          count < 2 &&
          !isPaused() &&
          !isAway() &&
          error instanceof ApiProblem &&
          (error.status === 0 || error.status >= 500),
      },
    },
  });
  watchCacheOwner(queryClient);
  // No page is open that would keep it.
  queryClient.setQueryDefaults(['typed'], { gcTime: Infinity });
  const router = createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    // A pointer that crosses a list rests less on each link.
    defaultPreloadDelay: 20,
    // The query cache decides what is stale.
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 200,
    defaultPendingMinMs: 0,
    // A page would otherwise keep what is typed about one subject for the next one of the same kind.
    defaultRemountDeps: ({ params }) => params,
    defaultPendingComponent: PendingPage,
    defaultErrorComponent: RouteProblem,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  });
  // The first page's scripts and person load before the first render; the page itself reports what is missing.
  const matches: { routeId: keyof typeof router.routesById }[] = router.matchRoutes(router.latestLocation);
  if (matches.some(({ routeId }) => routeId === signedIn.id)) void queryClient.prefetchQuery(meQuery);
  for (const { routeId } of matches) void router.loadRouteChunk(router.routesById[routeId])?.catch(() => undefined);
  router.subscribe('onBeforeNavigate', ({ pathChanged, fromLocation }) => {
    if (pathChanged && fromLocation) expectFocus();
  });

  onSignedOut(leaveToSignIn);

  function leaveToSignIn(): void {
    // The first page decides itself between sign-in and setup.
    if (router.state.resolvedLocation === undefined) return;
    const { pathname, href } = router.state.location;
    const me = queryClient.getQueryData(meQuery.queryKey);
    // The setup begins without a person.
    if (pathname === '/signin' || (pathname === '/setup' && !me)) return;
    keepTypedText(queryClient);
    queryClient.removeQueries({ queryKey: ['me'] });
    void router.navigate({ to: '/signin', search: { to: href }, ignoreBlocker: true });
  }
  return { router, queryClient };
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createUiRouter>['router'];
  }
}
