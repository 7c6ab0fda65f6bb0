import { createRoute } from '@tanstack/react-router';
import { releaseQuery } from '../../api/queries/releases.ts';
import { pickTexts } from '../../shell/search.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

export const releaseRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/releases/$release',
  validateSearch: (search): { compare?: string } => pickTexts(search, 'compare'),
  loader: async ({ context, params: { org, release: name } }) =>
    await context.queryClient.ensureQueryData(releaseQuery(org, name)),
  component: lazyPage(() => import('./release-page.tsx'), 'ReleasePage'),
});
