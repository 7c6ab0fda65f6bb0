import { createRoute } from '@tanstack/react-router';
import { changeQuery } from '../../api/queries/changes.ts';
import { pickTexts } from '../../shell/search.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

/** The step that is open, and what of it is shown. */
type ChangeSearch = { step?: string; tab?: 'transcript'; view?: 'table' };
export const changeRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/changes/$run',
  validateSearch: (search): ChangeSearch => {
    return {
      ...pickTexts(search, 'step'),
      ...(search['tab'] === 'transcript' && { tab: 'transcript' }),
      ...(search['view'] === 'table' && { view: 'table' }),
    };
  },
  loader: async ({ context, params: { org, run } }) => await context.queryClient.ensureQueryData(changeQuery(org, run)),
  component: lazyPage(() => import('./change-page.tsx'), 'ChangePage'),
});
