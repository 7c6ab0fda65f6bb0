import { createRoute, z } from '@hono/zod-openapi';
import { requireRole } from '../auth/require-role.ts';
import type { ApiDeps, App } from '../deps.ts';
import { problems } from '../http/problem.ts';
import { jsonResponse } from '../http/views.ts';

/** Far shorter than a new key is published before it signs. */
export const publicKeysCache = 'public, max-age=300';

const PublicKey = z.object({
  kty: z.literal('RSA').describe('Type of the key.'),
  kid: z.string().describe('Id of the key, which tokens name.'),
  use: z.literal('sig').describe('Use of the key.'),
  alg: z.literal('RS256').describe('Algorithm of the signatures.'),
  n: z.string().describe('Modulus of the key.'),
  e: z.string().describe('Exponent of the key.'),
});

const CloudKeysView = z
  .object({ keys: z.array(PublicKey).describe('Keys that sign, signed a short while ago, or will sign.') })
  .openapi('CloudKeys');

const route = createRoute({
  operationId: 'getCloudKeys',
  method: 'get',
  path: '/v1/cloud-identity/oidc/jwks',
  tags: ['Cloud accounts'],
  summary: 'Get the public keys of the installation',
  description:
    'Returns the keys that verify tokens of this installation, as a JSON Web Key Set. A new key is published a day before it signs. Needs no credentials.',
  ...requireRole('anyone'),
  responses: { 200: jsonResponse('The public keys', CloudKeysView), ...problems() },
});

export function getCloudKeys(app: App, { cloudIdentity }: ApiDeps): void {
  app.openapi(route, async (c) => {
    const keys = await cloudIdentity.listPublicKeys();
    c.header('Cache-Control', publicKeysCache);
    return c.json({ keys }, 200);
  });
}
