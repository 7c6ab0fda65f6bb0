import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import {
  changeQuery,
  changesQuery,
  meQuery,
  phases,
  productQuery,
  productsQuery,
  releaseQuery,
  releasesQuery,
  setupQuery,
  waitingQuery,
  zonesQuery,
  type Phase,
} from './api/queries.ts';
import { ApiProblem } from './api/request.ts';
import { RootLayout } from './shell/root-layout.tsx';
import { Shell } from './shell/shell.tsx';

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: RootLayout });

const toText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/signin',
  validateSearch: (search): { to?: string } => {
    const to = toText(search['to']);
    // Only a path of this site: "//host" would leave it.
    return to !== undefined && /^\/(?![/\\])/.test(to) ? { to } : {};
  },
  component: lazyRouteComponent(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  loader: async ({ context }) => await context.queryClient.fetchQuery(setupQuery),
  component: lazyRouteComponent(() => import('./pages/setup/setup-page.tsx'), 'SetupPage'),
});

/** The pages of a person who is signed in. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
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

const waiting = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  loader: async ({ context }) => await context.queryClient.ensureQueryData(waitingQuery),
  component: lazyRouteComponent(() => import('./pages/waiting/waiting-page.tsx'), 'WaitingPage'),
});

const products = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org',
  loader: async ({ context: { queryClient }, params: { org } }) =>
    await Promise.all([
      queryClient.ensureQueryData(productsQuery(org)),
      queryClient.ensureQueryData(changesQuery(org)),
    ]),
  component: lazyRouteComponent(() => import('./pages/products/products-page.tsx'), 'ProductsPage'),
});

const product = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/products/$product',
  loader: async ({ context: { queryClient }, params: { org, product: name } }) =>
    await Promise.all([
      queryClient.ensureQueryData(productQuery(org, name)),
      queryClient.ensureQueryData(zonesQuery(org, name)),
      queryClient.ensureQueryData(changesQuery(org, { product: name })),
      queryClient.ensureQueryData(releasesQuery(org, name)),
    ]),
  component: lazyRouteComponent(() => import('./pages/product/product-page.tsx'), 'ProductPage'),
});

export type ChangesSearch = { product?: string; phase?: Phase; q?: string };
const changes = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/changes',
  validateSearch: (search): ChangesSearch => {
    const phase = phases.find((one) => one === search['phase']);
    const name = toText(search['product']);
    const q = toText(search['q']);
    return { ...(name && { product: name }), ...(phase && { phase }), ...(q && { q }) };
  },
  loaderDeps: ({ search }) => search,
  loader: async ({ context, params: { org }, deps }) =>
    await context.queryClient.ensureQueryData(changesQuery(org, deps)),
  component: lazyRouteComponent(() => import('./pages/changes/changes-page.tsx'), 'ChangesPage'),
});

const change = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/changes/$run',
  loader: async ({ context, params: { org, run } }) => await context.queryClient.ensureQueryData(changeQuery(org, run)),
  component: lazyRouteComponent(() => import('./pages/change/change-page.tsx'), 'ChangePage'),
});

const release = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/releases/$release',
  loader: async ({ context, params: { org, release: name } }) =>
    await context.queryClient.ensureQueryData(releaseQuery(org, name)),
  component: lazyRouteComponent(() => import('./pages/release/release-page.tsx'), 'ReleasePage'),
});

export const routeTree = root.addChildren([
  signIn,
  setup,
  signedIn.addChildren([waiting, products, product, changes, change, release]),
]);
