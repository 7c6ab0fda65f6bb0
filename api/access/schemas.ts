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
  token: z.string().openapi({ description: 'Shown only once.' }),
}).openapi('MintedApiToken');

export function toTokenView({ metadata, spec, status }: ApiToken): z.infer<typeof TokenView> {
  return {
    name: metadata.name,
    label: spec.label,
    createdAt: metadata.creationTimestamp,
    ...(spec.expiresAt !== undefined && { expiresAt: spec.expiresAt }),
    ...(status?.lastUsedAt !== undefined && { lastUsedAt: status.lastUsedAt }),
  };
}

export const NewUserBody = z.strictObject({
  email: z.email().max(254),
  password: z.string().min(12, 'must have at least 12 characters').max(200),
});
export type NewUserBody = z.infer<typeof NewUserBody>;

export const UserView = z
  .object({ name: z.string(), email: z.string(), platformAdmin: z.boolean(), createdAt: z.string() })
  .openapi('User');

export const toUserView = ({ metadata, spec }: User): z.infer<typeof UserView> => ({
  name: metadata.name,
  email: spec.email,
  platformAdmin: spec.platformAdmin,
  createdAt: metadata.creationTimestamp,
});

const groups = z.array(AccessGroupSpec).max(200);
const versionOfBody = z.string().max(100).optional().openapi({
  description: 'The version that was read; alternatively send it as If-Match.',
});
const versionOfView = z.string().openapi({ description: 'Changes with every change of a group.' });
export const AccessGroupsBody = z.strictObject({ accessGroups: groups, resourceVersion: versionOfBody });
export const AccessGroupsView = z
  .object({ accessGroups: groups, resourceVersion: versionOfView })
  .openapi('AccessGroups');
/** The body of the deprecated operations that `access-groups` replaced. */
export const TeamsBody = z.strictObject({ teams: groups, resourceVersion: versionOfBody });
export const TeamsView = z.object({ teams: groups, resourceVersion: versionOfView }).openapi('Teams');
