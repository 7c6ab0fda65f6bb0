import { createRoute } from '@tanstack/react-router';
import { changeQuery } from '../../api/queries/changes.ts';
import { evidenceQuery } from '../../api/queries/evidence.ts';
import { pickTexts } from '../../shell/search.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

type EvidenceSearch = { zoom?: '100' | '200'; q?: string };
export const evidenceRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/changes/$run/evidence/$id',
  validateSearch: (search): EvidenceSearch => {
    const zoom = (['100', '200'] as const).find((one) => one === String(search['zoom']));
    return { ...pickTexts(search, 'q'), ...(zoom && { zoom }) };
  },
  loader: async ({ context: { queryClient }, params: { org, run } }) =>
    await Promise.all([
      queryClient.ensureQueryData(changeQuery(org, run)),
      queryClient.ensureQueryData(evidenceQuery(org, run)),
    ]),
  // The list of files stays as far down as it is.
  remountDeps: ({ params: { org, run } }) => ({ org, run }),
  component: lazyPage(() => import('./evidence-page.tsx'), 'EvidencePage'),
});
