import { z } from '@hono/zod-openapi';
import { AccessGroupSpec, type ApiToken, type User } from '../../src/rules/access/kinds.ts';
import { orgRoles } from '../../src/rules/access/roles.ts';

export const MeView = z
  .object({
    user: z.string(),
    email: z.string(),
    platformAdmin: z.boolean(),
    via: z.enum(['token', 'session']),
    orgs: z.array(z.object({ org: z.string(), role: z.enum(orgRoles) })),
  })
  .openapi('Me');

export const TokenView = z
  .object({
    name: z.string(),
    label: z.string(),
    createdAt: z.string(),
    expiresAt: z.string().optional(),
    lastUsedAt: z.string().optional(),
  })
  .openapi('ApiToken');

export const MintedTokenView = TokenView.extend({
  token: z.string().openapi({ description: 'Shown this once.' }),
}).openapi('MintedApiToken');

export function tokenView({ metadata, spec, status }: ApiToken): z.infer<typeof TokenView> {
  return {
    name: metadata.name,
    label: spec.label,
    createdAt: metadata.creationTimestamp,
    ...(spec.expiresAt !== undefined && { expiresAt: spec.expiresAt }),
    ...(status?.lastUsedAt !== undefined && { lastUsedAt: status.lastUsedAt }),
  };
}

export const UserView = z
  .object({ name: z.string(), email: z.string(), platformAdmin: z.boolean(), createdAt: z.string() })
  .openapi('User');

export const userView = ({ metadata, spec }: User): z.infer<typeof UserView> => ({
  name: metadata.name,
  email: spec.email,
  platformAdmin: spec.platformAdmin,
  createdAt: metadata.creationTimestamp,
});

const groups = z.array(AccessGroupSpec).max(200);
export const AccessGroupsView = z.strictObject({ accessGroups: groups }).openapi('AccessGroups');
/** The body of the operations that `access-groups` replaces. */
export const TeamsView = z.strictObject({ teams: groups }).openapi('Teams');
