import { createRoute } from '@tanstack/react-router';
import { latestChangesQuery } from '../../api/queries/changes.ts';
import { orgQuery, productsQuery } from '../../api/queries/products.ts';
import { defined, pickTexts } from '../../shell/search.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

type ProductsSearch = { q?: string; look?: true; page?: number };

const toPage = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 1 ? value : undefined;

export const productsRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org',
  validateSearch: (search): ProductsSearch =>
    defined({
      ...pickTexts(search, 'q'),
      look: search['look'] === true ? true : undefined,
      page: toPage(search['page']),
    }),
  loader: async ({ context: { queryClient }, params: { org } }) =>
    await Promise.all([
      queryClient.ensureQueryData(orgQuery(org)),
      queryClient.ensureQueryData(productsQuery(org)),
      queryClient.ensureQueryData(latestChangesQuery(org)),
    ]),
  component: lazyPage(() => import('./products-page.tsx'), 'ProductsPage'),
});
