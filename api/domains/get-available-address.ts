import { createRoute, z } from '@hono/zod-openapi';
import { ConfigMapKind } from '../../src/rules/core-kinds.ts';
import { addressClaim } from '../../src/rules/domains/address-claims.ts';
import { invalid } from '../../src/errors.ts';
import { hostName, isUnder } from '../../src/rules/domains/host-name.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { getOrganization } from '../catalog/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { answer, OrgParams } from '../views.ts';
import { usableDomains } from './usable-domains.ts';

const Availability = z
  .object({
    host: z.string(),
    available: z.boolean(),
    why: z.string().optional(),
    heldBy: z
      .object({ product: z.string(), zone: z.string().optional() })
      .optional()
      .openapi({ description: 'Which Product of this org has it; of another org only that it has.' }),
  })
  .openapi('AddressAvailability');

const route = createRoute({
  operationId: 'getAvailableAddress',
  method: 'get',
  path: '/v1/orgs/{org}/addresses/available',
  tags: ['Domains'],
  summary: 'Ask whether an address is free across the installation, or who has it',
  ...needs('viewer'),
  request: { params: OrgParams, query: z.strictObject({ host: z.string().min(1).max(300) }) },
  responses: { 200: answer('Whether it is free', Availability), ...problems(401, 403, 404, 422) },
});

export function getAvailableAddress(app: App, { store, config }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { host: given } = c.req.valid('query');
    await getOrganization(store, org);
    const host = hostName(given);
    if (host === undefined)
      throw invalid(`"${given.slice(0, 100)}" is no host name.`, [
        { pointer: '?host', detail: 'must be a bare host name such as "app.example.com"' },
      ]);
    const name = addressClaim(host, config.domains.platformDomain);
    const { data } = (await store.find(ConfigMapKind, { namespace: systemNamespace, name })) ?? {};
    if (data) {
      const { org: holder, product = '', zone } = data;
      if (holder !== org) return c.json({ host, available: false, why: 'Another org has it.' }, 200);
      const heldBy = { product, ...(zone !== undefined && { zone }) };
      return c.json({ host, available: false, why: `The Product "${product}" has it.`, heldBy }, 200);
    }
    const domains = await usableDomains(store, org, config.domains);
    const isUsable = domains.some(({ name: domain }) => host === domain || isUnder(host, domain));
    const why = 'It is under no verified domain that this org can use.';
    return c.json(isUsable ? { host, available: true } : { host, available: false, why }, 200);
  });
}
