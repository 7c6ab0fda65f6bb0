import { createRoute, z } from '@hono/zod-openapi';
import { recordsOf } from '../../src/rules/domains/records.ts';
import { removeDomain } from '../../workflows/domains/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { speaking } from '../temporal.ts';
import { answer } from '../views.ts';
import { getDomainOf, nameLoop } from './domain.ts';
import { DnsRecordView, DomainParams } from './schemas.ts';

const Removal = z
  .object({
    name: z.string(),
    remaining: z.array(DnsRecordView).openapi({
      description:
        'Records at the org’s own DNS provider. Delete them: they lead to a service that has forgotten the domain.',
    }),
  })
  .openapi('DomainRemoval');

const route = createRoute({
  operationId: 'deleteDomain',
  method: 'delete',
  path: '/v1/orgs/{org}/domains/{domain}',
  tags: ['Domains'],
  summary: 'Remove a domain that no zone has an address under; a managed one with its DNS records',
  ...needs('org-admin'),
  request: { params: DomainParams },
  responses: { 200: answer('What is left to be done', Removal), ...problems(401, 403, 404, 409, 503) },
});

export function deleteDomain(app: App, { store, temporal, config }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, domain: given } = c.req.valid('param');
    const domain = await getDomainOf(store, { org, domain: given });
    const { name } = domain.metadata;
    await speaking(temporal, () =>
      temporal.workflow.executeUpdateWithStart(removeDomain, {
        args: [{ org }],
        startWorkflowOperation: nameLoop({ org, domain: name }),
      }),
    );
    const remaining = domain.spec.kind === 'managed' ? [] : recordsOf(domain, config.domains);
    return c.json({ name, remaining }, 200);
  });
}
