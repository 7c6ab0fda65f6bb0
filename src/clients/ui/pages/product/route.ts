import { createRoute } from '@tanstack/react-router';
import { changesQuery } from '../../api/queries/changes.ts';
import { productQuery, zonesQuery } from '../../api/queries/products.ts';
import { releasesQuery } from '../../api/queries/releases.ts';
import { defined, toText } from '../../shell/search.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

/** The dialog that is open, and the Release that it shows. */
type ProductSearch = {
  promote?: string;
  release?: string;
  logo?: true;
};

export const productRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/products/$product',
  validateSearch: (search): ProductSearch => {
    const [promote, release] = [search['promote'], search['release']].map(toText);
    return defined({ promote, release, logo: search['logo'] === true ? true : undefined });
  },
  loader: async ({ context: { queryClient }, params: { org, product: name } }) =>
    await Promise.all([
      queryClient.ensureQueryData(productQuery(org, name)),
      queryClient.ensureQueryData(zonesQuery(org, name)),
      queryClient.ensureQueryData(changesQuery(org, { product: name })),
      queryClient.ensureQueryData(releasesQuery(org, name)),
    ]),
  component: lazyPage(() => import('./product-page.tsx'), 'ProductPage'),
});
