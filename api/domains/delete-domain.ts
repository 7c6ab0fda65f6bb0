import { createRoute, z } from '@hono/zod-openapi';
import { listRequiredRecords } from '../../src/rules/domains/dns-records.ts';
import { removeDomainUpdate } from '../../workflows/domains/messages.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requireRole } from '../auth/require-role.ts';
import { problems } from '../http/problem.ts';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import { readDomainSettings } from '../../src/store/installation.ts';
import { jsonResponse } from '../http/views.ts';
import { getDomain, verifyDomainStartOperation } from './domain.ts';
import { DnsRecordView, DomainParams } from './schemas.ts';

const DomainRemovalView = z
  .object({
    name: z.string().describe('Host name of the deleted domain.'),
    remainingRecords: z.array(DnsRecordView).openapi({
      description: 'Records at the org’s DNS provider that still point to the service. Delete them there.',
    }),
  })
  .openapi('DomainRemoval');

const route = createRoute({
  operationId: 'deleteDomain',
  method: 'delete',
  path: '/v1/orgs/{org}/domains/{domain}',
  tags: ['Domains'],
  summary: 'Delete a domain',
  description:
    'Deletes the DNS records of a managed domain too. Fails with 409 while a zone has an address under the domain.',
  ...requireRole('org-admin'),
  request: { params: DomainParams },
  responses: {
    200: jsonResponse('The records to delete at the DNS provider', DomainRemovalView),
    ...problems(401, 403, 404, 409),
  },
});

export function deleteDomain(app: App, { store, temporal, config }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org, domain: requestedName } = c.req.valid('param');
    const domain = await getDomain(store, { org, domain: requestedName });
    const { name } = domain.metadata;
    await callWorkflow(temporal, () =>
      temporal.workflow.executeUpdateWithStart(removeDomainUpdate, {
        args: [{ org }],
        startWorkflowOperation: verifyDomainStartOperation({ org, domain: name }),
      }),
    );
    const settings = await readDomainSettings(store, config.domains);
    const remainingRecords = domain.spec.kind === 'managed' ? [] : listRequiredRecords(domain, settings);
    return c.json({ name, remainingRecords }, 200);
  });
}
