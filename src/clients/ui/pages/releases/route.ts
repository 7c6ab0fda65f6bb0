import { createRoute } from '@tanstack/react-router';
import { productQuery } from '../../api/queries/products.ts';
import { releasePagesQuery, releasePhases, type ReleasePhase } from '../../api/queries/releases.ts';
import { defined, pickTexts } from '../../shell/search.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

type ReleasesSearch = { product?: string; phase?: ReleasePhase; q?: string; start?: true };

export const releasesRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/releases',
  validateSearch: (search): ReleasesSearch =>
    defined({
      ...pickTexts(search, 'product', 'q'),
      phase: releasePhases.find((one) => one === search['phase']),
      start: search['start'] === true ? true : undefined,
    }),
  loaderDeps: ({ search: { product, phase, q } }) => ({ product, phase, q }),
  loader: async ({ context: { queryClient }, params: { org }, deps }) =>
    await Promise.all([
      queryClient.ensureInfiniteQueryData(releasePagesQuery(org, deps)),
      ...(deps.product === undefined ? [] : [queryClient.ensureQueryData(productQuery(org, deps.product))]),
    ]),
  component: lazyPage(() => import('./releases-page.tsx'), 'ReleasesPage'),
});
