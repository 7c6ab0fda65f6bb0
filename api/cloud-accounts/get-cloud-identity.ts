import { createRoute, z } from '@hono/zod-openapi';
import { awsAudience, toGoogleAudience, toKeysUrl, toSubject } from '../../src/rules/cloud-accounts/identity-token.ts';
import { cloudProviders } from '../../src/rules/cloud-accounts/kinds.ts';
import { listIssuerFindings } from '../../src/rules/cloud-accounts/list-issuer-findings.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';

const CloudIdentityView = z
  .object({
    issuer: z.string().describe('Issuer to enter at the cloud, as the URL of an OpenID Connect provider.'),
    jwksUri: z.string().describe('Where clouds read the public keys.'),
    audiences: z
      .array(
        z.object({
          provider: z.enum(cloudProviders).describe('Cloud that the audience is for.'),
          audience: z.string().describe('Audience of the tokens; `{workloadIdentityProvider}` stands for that name.'),
        }),
      )
      .describe('Audiences of the tokens, by cloud.'),
    subject: z.string().describe('Form of the subject; `{org}` stands for the name of the org.'),
    reachable: z
      .boolean()
      .describe(
        'Whether the address lets clouds read the keys: https, a public host and no port. A firewall can still block them.',
      ),
    findings: z
      .array(
        z.object({
          message: z.string().describe('Why clouds refuse the issuer.'),
          fix: z.string().describe('What to do.'),
        }),
      )
      .describe('Why clouds refuse the issuer; empty if they can read it.'),
  })
  .openapi('CloudIdentity');

const route = createRoute({
  operationId: 'getCloudIdentity',
  method: 'get',
  path: '/v1/cloud-identity',
  tags: ['Cloud accounts'],
  summary: 'Get the identity of the installation for clouds',
  description:
    'Returns what an admin of a cloud account enters there, so that the cloud trusts tokens of this installation, and whether the cloud can read its keys.',
  ...requireRole('signed-in'),
  responses: { 200: jsonResponse('The identity', CloudIdentityView), ...problems(401) },
});

export function getCloudIdentity(app: App, { cloudIdentity }: ApiDeps): void {
  app.openapi(route, (c) => {
    const { issuer } = cloudIdentity;
    const findings = listIssuerFindings(issuer);
    const audiences = [
      { provider: 'aws' as const, audience: awsAudience },
      { provider: 'google' as const, audience: toGoogleAudience('{workloadIdentityProvider}') },
    ];
    return c.json(
      {
        issuer,
        jwksUri: toKeysUrl(issuer),
        audiences,
        subject: toSubject('{org}'),
        reachable: findings.length === 0,
        findings,
      },
      200,
    );
  });
}
