import { createRoute } from '@tanstack/react-router';
import { domainsQuery } from '../../api/queries/domains.ts';
import { productQuery } from '../../api/queries/products.ts';
import { zoneQuery } from '../../api/queries/zones.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

export const zoneSettingsRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/products/$product/zones/$zone/settings',
  loader: async ({ context: { queryClient }, params }) =>
    await Promise.all([
      queryClient.ensureQueryData(productQuery(params.org, params.product)),
      queryClient.ensureQueryData(zoneQuery(params)),
      queryClient.ensureQueryData(domainsQuery(params.org)),
    ]),
  component: lazyPage(() => import('./zone-settings-page.tsx'), 'ZoneSettingsPage'),
});
