import { createRoute } from '@tanstack/react-router';
import { changeQuery } from '../../api/queries/changes.ts';
import { diffQuery } from '../../api/queries/diff.ts';
import { pickTexts } from '../../shell/search.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

type DiffSearch = { file?: string; view?: 'split'; q?: string };
export const diffRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/changes/$run/diff',
  validateSearch: (search): DiffSearch => {
    return { ...pickTexts(search, 'file', 'q'), ...(search['view'] === 'split' && { view: 'split' }) };
  },
  loader: async ({ context: { queryClient }, params: { org, run } }) =>
    await Promise.all([
      queryClient.ensureQueryData(changeQuery(org, run)),
      queryClient.ensureInfiniteQueryData(diffQuery(org, run)),
    ]),
  component: lazyPage(() => import('./diff-page.tsx'), 'DiffPage'),
});
