import { createRoute } from '@tanstack/react-router';
import { openApiQuery } from '../../api/queries/reference.ts';
import { statesWithMain } from '../../parts/route-problem.tsx';
import { root } from '../../shell/parents.tsx';
import { pickTexts } from '../../shell/search.ts';
import { lazyPage } from '../../parts/lazy-file.ts';

/** The reference needs no account. Its fragment is the operation that it shows. */
export const referenceRoute = createRoute({
  getParentRoute: () => root,
  ...statesWithMain,
  path: '/api/docs',
  validateSearch: (search): { q?: string } => pickTexts(search, 'q'),
  loader: async ({ context }) => await context.queryClient.ensureQueryData(openApiQuery),
  component: lazyPage(() => import('./reference-page.tsx'), 'ReferencePage'),
});
