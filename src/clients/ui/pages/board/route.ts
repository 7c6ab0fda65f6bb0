import { createRoute } from '@tanstack/react-router';
import { agentWorkflowsQuery } from '../../api/queries/agents.ts';
import { boardQuery } from '../../api/queries/issues.ts';
import { productQuery } from '../../api/queries/products.ts';
import { pickTexts } from '../../shell/search.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

/** `issue` is the card that is open, as `<owner>/<repo>#<number>`; `new` opens the form of an issue. */
export type BoardSearch = { q?: string; label?: string; repo?: string; issue?: string; new?: true };
export const boardRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/products/$product/board',
  validateSearch: (search): BoardSearch => {
    return {
      ...pickTexts(search, 'q', 'label', 'repo', 'issue'),
      ...(search['new'] === true && { new: true }),
    };
  },
  loader: async ({ context: { queryClient }, params: { org, product } }) =>
    await Promise.all([
      queryClient.ensureQueryData(productQuery(org, product)),
      queryClient.ensureQueryData(agentWorkflowsQuery(org)),
      queryClient.ensureQueryData(boardQuery(org, product)),
    ]),
  component: lazyPage(() => import('./board-page.tsx'), 'BoardPage'),
});
