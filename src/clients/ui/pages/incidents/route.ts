import { createRoute } from '@tanstack/react-router';
import { incidentsQuery, type IncidentsFilter } from '../../api/queries/incidents.ts';
import { orgQuery } from '../../api/queries/products.ts';
import { lazyPage } from '../../parts/lazy-file.ts';
import { signedIn } from '../../shell/parents.tsx';
import { defined, pickTexts } from '../../shell/search.ts';

const states = ['Open', 'Acknowledged', 'Resolved', 'Unresolved'] as const;
const severities = ['critical', 'warning', 'info'] as const;

export type IncidentsSearch = {
  product?: string;
  state?: (typeof states)[number];
  severity?: (typeof severities)[number];
  q?: string;
  after?: string;
  /** Whether the dialog for a new incident is open. */
  report?: true;
};

export const toFilter = ({ report: _report, ...filter }: IncidentsSearch): IncidentsFilter => filter;

export const incidentsRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/incidents',
  validateSearch: (search): IncidentsSearch =>
    defined({
      ...pickTexts(search, 'product', 'q', 'after'),
      state: states.find((one) => one === search['state']),
      severity: severities.find((one) => one === search['severity']),
      report: search['report'] === true ? (true as const) : undefined,
    }),
  loaderDeps: ({ search }) => toFilter(search),
  loader: async ({ context: { queryClient }, params: { org }, deps }) =>
    await Promise.all([
      queryClient.ensureQueryData(incidentsQuery(org, deps)),
      queryClient.ensureQueryData(orgQuery(org)),
    ]),
  component: lazyPage(() => import('./incidents-page.tsx'), 'IncidentsPage'),
});
