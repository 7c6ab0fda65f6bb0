import { createRoute, z } from '@hono/zod-openapi';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { addressReservationName } from '../../src/rules/domains/address-reservations.ts';
import { addressViolation } from '../../src/rules/domains/addresses.ts';
import { invalid } from '../../src/errors.ts';
import { parseHostName, isSubdomain } from '../../src/rules/domains/host-name.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { getOrganization } from '../orgs/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse, OrgParams } from '../http/views.ts';
import { listUsableDomains } from '../../src/reconcile/list-usable-domains.ts';
import { readDomainSettings } from '../../src/store/installation.ts';

const AddressAvailabilityView = z
  .object({
    host: z.string().describe('Host name in lower case and ASCII form.'),
    available: z.boolean().describe('Whether a zone of the org can use the host name.'),
    reason: z.string().optional().describe('Why the host name is not available.'),
    reservedBy: z
      .object({
        product: z.string().describe('Product that reserves the host name.'),
        zone: z.string().optional().describe('Zone that uses the host name.'),
      })
      .optional()
      .openapi({ description: 'The Product of this org that holds the address; absent if another org holds it.' }),
  })
  .openapi('AddressAvailability');

const route = createRoute({
  operationId: 'getAddressAvailability',
  method: 'get',
  path: '/v1/orgs/{org}/addresses/available',
  tags: ['Domains'],
  summary: 'Get the availability of an address',
  description: 'Returns whether the host name is free across the installation and under a domain that the org can use.',
  ...requireRole('viewer'),
  request: {
    params: OrgParams,
    query: z.strictObject({ host: z.string().min(1).max(300).describe('Host name to check.') }),
  },
  responses: {
    200: jsonResponse('The availability of the address', AddressAvailabilityView),
    ...problems(401, 403, 404, 422),
  },
});

export function getAddressAvailability(app: App, { store, config }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { host: requestedHost } = c.req.valid('query');
    await getOrganization(store, org);
    const host = parseHostName(requestedHost);
    if (host === undefined)
      throw invalid(`"${requestedHost.slice(0, 100)}" is not a valid host name.`, [
        { pointer: '?host', detail: 'must be a host name such as "app.example.com", without scheme, port or path' },
      ]);
    const settings = await readDomainSettings(store, config.domains);
    const usable = await listUsableDomains(store, org, settings);
    // An address of the most specific domain has the shortest label before it.
    const [domain] = usable
      .filter(({ name }) => host === name || isSubdomain(host, name))
      .toSorted((left, right) => right.name.length - left.name.length);
    const toView = (reason: string) => c.json({ host, available: false, reason }, 200);
    if (!domain) return toView('The address is not under a verified domain that the org can use.');
    const { name: parent, owner } = domain;
    const address = { domain: parent, name: host === parent ? '' : host.slice(0, -parent.length - 1) };
    const violation = addressViolation(address, { ...settings, isShared: owner !== org });
    if (violation) return toView(`The ${violation.field} of the address ${violation.detail}.`);
    const name = addressReservationName({ host, domainOwner: owner }, settings.platformDomain);
    const { data } = (await store.find(ConfigMapKind, { namespace: systemNamespace, name })) ?? {};
    if (!data) return c.json({ host, available: true }, 200);
    const { org: holder, product = '', zone } = data;
    if (holder !== org) return toView('Another org holds the address.');
    const reservedBy = { product, ...(zone !== undefined && { zone }) };
    return c.json({ host, available: false, reason: `The Product "${product}" holds the address.`, reservedBy }, 200);
  });
}
