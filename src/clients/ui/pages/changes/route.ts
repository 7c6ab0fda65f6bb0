import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { type Phase, changesQuery, phases } from '../../api/queries/changes.ts';
import { toText } from '../../shell/search.ts';
import { signedIn } from '../../shell/parents.tsx';

export type ChangesSearch = { product?: string; phase?: Phase; q?: string };
export const changesRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/changes',
  validateSearch: (search): ChangesSearch => {
    const phase = phases.find((one) => one === search['phase']);
    const name = toText(search['product']);
    const q = toText(search['q']);
    return { ...(name && { product: name }), ...(phase && { phase }), ...(q && { q }) };
  },
  loaderDeps: ({ search }) => search,
  loader: async ({ context, params: { org }, deps }) =>
    await context.queryClient.ensureQueryData(changesQuery(org, deps)),
  component: lazyRouteComponent(() => import('./changes-page.tsx'), 'ChangesPage'),
});
