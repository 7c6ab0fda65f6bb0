import { createRoute } from '@hono/zod-openapi';
import { DomainKind } from '../../src/rules/domains/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { readDomainSettings } from '../../src/store/installation.ts';
import { getOrganization } from '../orgs/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { paginate } from '../http/pagination.ts';
import { respondCached } from '../http/respond-cached.ts';
import { jsonResponse, listSchema, OrgParams, PageQuery } from '../http/views.ts';
import { listAddresses, loadLastCheckedTimes, addressesForDomain } from './domain.ts';
import { DomainView, toDomainView, toPlatformDomainView } from './schemas.ts';

const route = createRoute({
  operationId: 'listDomains',
  method: 'get',
  path: '/v1/orgs/{org}/domains',
  tags: ['Domains'],
  summary: 'List the domains of an org',
  description:
    'Returns the org’s own domains, the domain of the installation and the domains shared by the platform org.',
  ...requireRole('viewer'),
  request: { params: OrgParams, query: PageQuery },
  responses: { 200: jsonResponse('The domains', listSchema(DomainView)), ...problems(401, 403, 404, 422) },
});

export function listDomains(app: App, { config }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    return await respondCached(c, async (reads) => {
      await getOrganization(reads, org);
      const settings = await readDomainSettings(reads, config.domains);
      const { platformOrg, platformDomain } = settings;
      const own = await reads.list(DomainKind, { namespace: orgNamespace(org) });
      const shared =
        platformOrg === undefined || platformOrg === org
          ? []
          : (await reads.list(DomainKind, { namespace: orgNamespace(platformOrg) })).items.filter(
              ({ spec }) => spec.shared,
            );
      const all = [...own.items, ...shared];
      const addresses = await listAddresses(reads, org);
      const lastCheckedAt = await loadLastCheckedTimes(reads, all);
      const items = all.map((domain) =>
        toDomainView(domain, {
          role: c.get('role'),
          settings,
          addresses: addressesForDomain(addresses, domain.metadata.name),
          lastCheckedAt: lastCheckedAt(domain),
          isOwnedByViewer: own.items.includes(domain),
        }),
      );
      const platform =
        platformDomain === undefined
          ? []
          : [toPlatformDomainView(platformDomain, org, addressesForDomain(addresses, platformDomain))];
      return paginate(c, [...platform, ...items], {
        // The domain of the installation, which every org has, is first.
        toPosition: ({ name }) => [name === platformDomain ? 0 : 1, name],
        query: c.req.valid('query'),
      });
    });
  });
}
