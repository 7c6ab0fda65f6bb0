import { createRoute } from '@hono/zod-openapi';
import { DomainKind } from '../../src/rules/domains/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { getOrganization } from '../catalog/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { showList } from '../show-list.ts';
import { answer, listSchema, OrgParams } from '../views.ts';
import { addressesOf, readSweeps, under } from './domain.ts';
import { DomainView, domainView, platformDomainView } from './schemas.ts';

const route = createRoute({
  operationId: 'listDomains',
  method: 'get',
  path: '/v1/orgs/{org}/domains',
  tags: ['Domains'],
  summary: 'List the domains that an org can use, with their records, checks and addresses',
  ...needs('viewer'),
  request: { params: OrgParams },
  responses: { 200: answer('The domains', listSchema(DomainView)), ...problems(401, 403, 404) },
});

export function listDomains(app: App, { config }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    return await showList(c, async (heard) => {
      await getOrganization(heard, org);
      const { platformOrg, platformDomain } = config.domains;
      const own = await heard.list(DomainKind, { namespace: orgNamespace(org) });
      const elsewhere =
        platformOrg === undefined || platformOrg === org
          ? []
          : (await heard.list(DomainKind, { namespace: orgNamespace(platformOrg) })).items.filter(
              ({ spec }) => spec.shared,
            );
      const all = [...own.items, ...elsewhere];
      const addresses = await addressesOf(heard, org);
      const sweptAt = await readSweeps(heard, all);
      const items = all.map((domain) =>
        domainView(domain, {
          role: c.get('role'),
          settings: config.domains,
          addresses: under(addresses, domain.metadata.name),
          lastCheckedAt: sweptAt(domain),
          isOwn: own.items.includes(domain),
        }),
      );
      const platform =
        platformDomain === undefined ? [] : [platformDomainView(platformDomain, org, under(addresses, platformDomain))];
      return { items: [...platform, ...items] };
    });
  });
}
