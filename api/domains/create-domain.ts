import { createRoute, z } from '@hono/zod-openapi';
import { ServiceError, invalid } from '../../src/errors.ts';
import { DomainKind, type DomainSettings } from '../../src/rules/domains/kinds.ts';
import { refuseName } from '../../src/rules/domains/refuse-name.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { claimDomain } from '../../workflows/domains/messages.ts';
import { getOrganization } from '../catalog/org.ts';
import type { ApiDeps, App } from '../deps.ts';
import { requestOf } from '../idempotency.ts';
import { needs } from '../needs.ts';
import { problems } from '../problem.ts';
import { speaking } from '../temporal.ts';
import { answer, body, OrgParams } from '../views.ts';
import { nameLoop, readDomainName, showDomain } from './domain.ts';
import { DomainView } from './schemas.ts';

const NewDomainBody = z.strictObject({
  name: z.string().min(1).max(300),
  kind: z.enum(['external', 'managed']),
  shared: z.boolean().default(false).openapi({ description: 'With every org; only for domains of the platform org.' }),
});

const route = createRoute({
  operationId: 'createDomain',
  method: 'post',
  path: '/v1/orgs/{org}/domains',
  tags: ['Domains'],
  summary: 'Claim a domain: one that the org owns, or a subdomain that the service manages',
  ...needs('org-admin'),
  request: { params: OrgParams, body: body(NewDomainBody) },
  responses: { 201: answer('The domain', DomainView), ...problems(400, 401, 403, 404, 409, 413, 415, 422, 503) },
});

export function createDomain(app: App, deps: ApiDeps): void {
  app.openapi(route, async (c) => {
    const { org } = c.req.valid('param');
    const { name, kind, shared } = c.req.valid('json');
    await getOrganization(deps.store, org);
    const domain = readDomainName(name);
    refuse({ org, domain, kind, shared }, deps.config.domains);
    const { id, repeatable } = requestOf(c, `createDomain ${org} ${domain}`);
    const held = await deps.store.find(DomainKind, { namespace: orgNamespace(org), name: domain });
    if (held && !repeatable) throw new ServiceError('conflict', `The org "${org}" has the domain "${domain}" already.`);
    await speaking(deps.temporal, () =>
      deps.temporal.workflow.executeUpdateWithStart(claimDomain, {
        updateId: `claim-${id}`,
        args: [{ org, kind, shared }],
        startWorkflowOperation: nameLoop({ org, domain }),
      }),
    );
    c.header('Location', `/api/v1/orgs/${org}/domains/${domain}`);
    return c.json(await showDomain(deps, { org, domain }, c.get('role')), 201);
  });
}

type Asked = { org: string; domain: string; kind: 'external' | 'managed'; shared: boolean };

function refuse({ org, domain, kind, shared }: Asked, settings: DomainSettings): void {
  const why = refuseName(kind, domain, settings);
  if (why !== undefined)
    throw invalid(`The domain "${domain}" cannot be claimed: it ${why}.`, [{ pointer: '/name', detail: why }]);
  if (shared && org !== settings.platformOrg)
    throw invalid('Only domains of the platform org can be shared with every org.', [
      { pointer: '/shared', detail: 'must be false in this org' },
    ]);
}
