import { createRoute, z } from '@hono/zod-openapi';
import { ServiceError, invalid } from '../../src/errors.ts';
import { DomainKind, type DomainSettings } from '../../src/rules/domains/kinds.ts';
import { validateDomainName } from '../../src/rules/domains/validate-domain-name.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { claimDomainUpdate } from '../../workflows/domains/messages.ts';
import { getOrganization } from '../orgs/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { identifyRequest } from '../temporal/idempotency.ts';
import { requireRole } from '../auth/require-role.ts';
import { uiPaths } from '../http/ui-paths.ts';
import { problems } from '../http/problem.ts';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import { readDomainSettings } from '../../src/store/installation.ts';
import { jsonResponse, body, OrgParams } from '../http/views.ts';
import { verifyDomainStartOperation, parseDomainName, getDomainView } from './domain.ts';
import { DomainView } from './schemas.ts';

const NewDomainBody = z.strictObject({
  name: z.string().min(1).max(300).describe('Host name of the domain. International names may be sent in Unicode.'),
  kind: z
    .enum(['external', 'managed'])
    .describe(
      '`external` for a domain that the org owns; `managed` for a subdomain whose DNS records the service maintains.',
    ),
  shared: z
    .boolean()
    .default(false)
    .openapi({ description: 'Allow every org to use the domain. Only for domains of the platform org.' }),
});

const route = createRoute({
  operationId: 'createDomain',
  method: 'post',
  path: '/v1/orgs/{org}/domains',
  tags: ['Domains'],
  summary: 'Claim a domain',
  description:
    'Claims an external domain that the org owns, or a managed subdomain whose DNS records the service maintains. Fails with 409 if another org holds it, and with 429 if the org has as many domains as its quota allows.',
  ...requireRole('org-admin'),
  request: { params: OrgParams, body: body(NewDomainBody) },
  responses: {
    201: jsonResponse('The claimed domain', DomainView),
    ...problems(400, 401, 403, 404, 409, 413, 415, 422, 429),
  },
});

export function createDomain(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { name, kind, shared } = c.req.valid('json');
    await getOrganization(deps.store, org);
    const domain = parseDomainName(name);
    const settings = await readDomainSettings(deps.store, deps.config.domains);
    assertClaimable({ org, domain, kind, shared }, settings);
    const { id, hasIdempotencyKey } = identifyRequest(c, `createDomain ${org} ${domain}`);
    const existing = await deps.store.find(DomainKind, { namespace: orgNamespace(org), name: domain });
    if (existing && !hasIdempotencyKey)
      throw new ServiceError('already-exists', `The org "${org}" already has the domain "${domain}".`, {
        links: [{ title: domain, url: uiPaths.domain(org, domain) }],
      });
    const claim = () =>
      callWorkflow(deps.temporal, () =>
        deps.temporal.workflow.executeUpdateWithStart(claimDomainUpdate, {
          updateId: `claim-domain-${id}`,
          args: [{ org, kind, shared }],
          startWorkflowOperation: verifyDomainStartOperation({ org, domain }),
        }),
      );
    // A repeated request claims nothing new.
    if (existing) await claim();
    else
      await c.get('quotaGuard').create({
        quota: 'domainsPerOrg',
        holder: org,
        count: async () => (await deps.store.list(DomainKind, { namespace: orgNamespace(org) })).items.length,
        create: claim,
      });
    c.header('Location', `/api/v1/orgs/${org}/domains/${domain}`);
    return c.json(await getDomainView(deps, { org, domain }, c.get('role')), 201);
  });
}

type NewDomain = { org: string; domain: string; kind: 'external' | 'managed'; shared: boolean };

function assertClaimable({ org, domain, kind, shared }: NewDomain, settings: DomainSettings): void {
  const detail = validateDomainName(kind, domain, settings);
  if (detail !== undefined)
    throw invalid(`The domain "${domain}" cannot be claimed: it ${detail}.`, [{ pointer: '/name', detail }]);
  if (shared && org !== settings.platformOrg)
    throw invalid('Only domains of the platform org can be shared with every org.', [
      { pointer: '/shared', detail: 'must be false in this org' },
    ]);
}
