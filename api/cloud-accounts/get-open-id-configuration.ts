import { createRoute, z } from '@hono/zod-openapi';
import { toKeysUrl } from '../../src/rules/cloud-accounts/identity-token.ts';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';
import { publicKeysCache } from './get-cloud-keys.ts';

const OpenIdConfiguration = z
  .object({
    issuer: z.string().describe('Issuer of the tokens.'),
    jwks_uri: z.string().describe('URL of the public keys.'),
    response_types_supported: z.array(z.string()).describe('Required by the standard; no one can sign in here.'),
    subject_types_supported: z.array(z.string()).describe('Kinds of subjects.'),
    id_token_signing_alg_values_supported: z.array(z.string()).describe('Algorithms of the signatures.'),
    claims_supported: z.array(z.string()).describe('Claims of the tokens.'),
  })
  .openapi('OpenIdConfiguration');

const route = createRoute({
  operationId: 'getOpenIdConfiguration',
  method: 'get',
  path: '/v1/cloud-identity/oidc/.well-known/openid-configuration',
  tags: ['Cloud accounts'],
  summary: 'Get the discovery document of the installation',
  description:
    'Tells clouds where to find the keys that verify tokens of this installation (OpenID Connect Discovery). Needs no credentials.',
  ...requireRole('anyone'),
  responses: { 200: jsonResponse('The discovery document', OpenIdConfiguration), ...problems() },
});

/** The document follows from the configured address alone: a forged Host header must not name another issuer. */
export function getOpenIdConfiguration(app: App, { cloudIdentity }: ApiDeps): void {
  app.openapi(route, (c) => {
    const { issuer } = cloudIdentity;
    c.header('Cache-Control', publicKeysCache);
    return c.json(
      {
        issuer,
        jwks_uri: toKeysUrl(issuer),
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        claims_supported: ['iss', 'sub', 'aud', 'exp', 'iat', 'jti'],
      },
      200,
    );
  });
}
