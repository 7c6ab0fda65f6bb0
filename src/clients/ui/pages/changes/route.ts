import { createRoute } from '@tanstack/react-router';
import { changesQuery, phaseGroups, phases, type PhaseFilter } from '../../api/queries/changes.ts';
import { pickTexts } from '../../shell/search.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

export type ChangesSearch = { product?: string; phase?: PhaseFilter; q?: string; after?: string };
export const changesRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/changes',
  validateSearch: (search): ChangesSearch => {
    const phase = [...phases, ...phaseGroups].find((one) => one === search['phase']);
    return { ...pickTexts(search, 'product', 'q', 'after'), ...(phase && { phase }) };
  },
  loaderDeps: ({ search }) => search,
  loader: async ({ context, params: { org }, deps }) =>
    await context.queryClient.ensureQueryData(changesQuery(org, deps)),
  component: lazyPage(() => import('./changes-page.tsx'), 'ChangesPage'),
});
