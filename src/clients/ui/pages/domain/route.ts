import { createRoute } from '@tanstack/react-router';
import { domainQuery, domainsQuery } from '../../api/queries/domains.ts';
import { orgQuery } from '../../api/queries/products.ts';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

export const domainRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/$org/domains/$domain',
  loader: async ({ context: { queryClient }, params: { org, domain } }) =>
    await Promise.all([
      queryClient.ensureQueryData(domainQuery(org, domain)),
      queryClient.ensureQueryData(domainsQuery(org)),
      queryClient.ensureQueryData(orgQuery(org)),
    ]),
  component: lazyPage(() => import('./domain-page.tsx'), 'DomainPage'),
});
