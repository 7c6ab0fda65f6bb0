import { createRoute } from '@tanstack/react-router';
import { incidentQuery } from '../../api/queries/incidents.ts';
import { lazyPage } from '../../parts/lazy-file.ts';
import { signedIn } from '../../shell/parents.tsx';

export const incidentRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/incidents/$name',
  loader: async ({ context: { queryClient }, params: { org, name } }) =>
    await queryClient.ensureQueryData(incidentQuery(org, name)),
  component: lazyPage(() => import('./incident-page.tsx'), 'IncidentPage'),
});
