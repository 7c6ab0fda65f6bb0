import { z } from '@hono/zod-openapi';
import { IdentityProviderKind, type IdentityProvider } from '../../src/rules/access/identity-provider.ts';
import { toView, viewSchema } from '../http/views.ts';
import type { ApiDeps } from '../deps.ts';
import { redirectUri } from './identity-provider.ts';

const { org: _org, actions: _actions, ...fields } = viewSchema(IdentityProviderKind).shape;

export const IdentityProviderView = z
  .object({
    ...fields,
    redirectUri: z.string().describe('URL to register at the provider: it redirects browsers there after a sign-in.'),
    hasClientSecret: z.boolean().describe('Whether a client secret is stored. It is never returned.'),
  })
  .openapi('IdentityProvider');

export const ClientSecret = z
  .string()
  .min(1)
  .max(2000)
  .describe('Secret with which this installation authenticates at the provider. It is stored and never returned.');

/** A name in a path; a value that is not a valid name responds 404, as a name that does not exist. */
export const ProviderParams = z.object({
  provider: z
    .string()
    .regex(/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/)
    .max(200)
    .describe('Name of the identity provider.'),
});

export function toIdentityProviderView(
  provider: IdentityProvider,
  config: Pick<ApiDeps['config'], 'publicUrl'>,
  hasClientSecret: boolean,
) {
  const { org: _, actions: __, ...view } = toView(provider, '', []);
  return { ...view, redirectUri: redirectUri(config, provider.metadata.name), hasClientSecret };
}
