import { createRoute } from '@tanstack/react-router';
import { accessGroupsStatusQuery } from '../../../api/queries/people.ts';
import { orgQuery } from '../../../api/queries/products.ts';
import { accessGroupsQuery } from '../../../api/queries/settings.ts';
import { pickTexts } from '../../../shell/search.ts';
import { orgSettings } from '../parents.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';

export type AccessSearch = { person?: string };

export const accessRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/access',
  validateSearch: (search): AccessSearch => pickTexts(search, 'person'),
  loader: async ({ context: { queryClient }, params: { org } }) =>
    await Promise.all([
      queryClient.ensureQueryData(accessGroupsQuery(org)),
      queryClient.ensureQueryData(orgQuery(org)),
      // The page is whole without it, so a failure is shown in its place.
      queryClient.prefetchQuery(accessGroupsStatusQuery(org)),
    ]),
  component: lazyPage(() => import('./access-page.tsx'), 'AccessPage'),
});
