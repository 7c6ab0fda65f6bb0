import { z } from '@hono/zod-openapi';
import { EmailAddress, Timestamp } from '../../src/rules/names.ts';
import { AccessGroupSpec, type ApiToken, type User } from '../../src/rules/access/kinds.ts';
import { orgRoles } from '../../src/rules/access/roles.ts';

const RoleMax = z.enum(orgRoles).describe('Highest role that the token has in any org; absent if it is not limited.');

export const MeView = z
  .object({
    user: z.string().describe('Name of the user.'),
    email: z.string().describe('E-mail address of the user.'),
    platformAdmin: z
      .boolean()
      .describe('Whether the user administers the whole installation, and the credential allows it.'),
    via: z.enum(['token', 'session']).describe('Credential that authenticated the request.'),
    roleMax: RoleMax.optional(),
    orgs: z
      .array(
        z.object({
          org: z.string().describe('Name of the org.'),
          role: z.enum(orgRoles).describe('Role of the user in the org.'),
        }),
      )
      .describe('Orgs in which the user has a role.'),
  })
  .openapi('Me');

export const TokenView = z
  .object({
    name: z.string().describe('Name of the token, which `revokeToken` takes.'),
    label: z.string().describe('Label that the owner gave the token.'),
    createdAt: Timestamp.describe('Time at which the token was created.'),
    expiresAt: Timestamp.optional().describe('Time at which the token expires.'),
    roleMax: RoleMax.optional(),
    lastUsedAt: z
      .string()
      .optional()
      .describe('Time of a recent request with the token; not every request is recorded.'),
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
    ...(spec.roleMax !== undefined && { roleMax: spec.roleMax }),
    ...(status?.lastUsedAt !== undefined && { lastUsedAt: status.lastUsedAt }),
  };
}

export const NewUserBody = z.strictObject({
  email: EmailAddress.describe('E-mail address that the user signs in with.'),
  password: z
    .string()
    .min(12, 'must have at least 12 characters')
    .max(200)
    .describe('Password of at least 12 characters.'),
});
export type NewUserBody = z.infer<typeof NewUserBody>;

export const UserView = z
  .object({
    name: z.string().describe('Name of the user.'),
    email: z.string().describe('E-mail address that the user signs in with.'),
    platformAdmin: z.boolean().describe('Whether the user administers the whole installation.'),
    createdAt: Timestamp.describe('Time at which the user was created.'),
  })
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
export const AccessGroupsBody = z.strictObject({
  accessGroups: groups.describe('All access groups of the org.'),
  resourceVersion: versionOfBody,
});
export const AccessGroupsView = z
  .object({ accessGroups: groups.describe('All access groups of the org.'), resourceVersion: versionOfView })
  .openapi('AccessGroupList');
/** The body of the deprecated operations that `access-groups` replaced. */
export const TeamsBody = z.strictObject({
  teams: groups.describe('All access groups of the org.'),
  resourceVersion: versionOfBody,
});
export const TeamsView = z
  .object({ teams: groups.describe('All access groups of the org.'), resourceVersion: versionOfView })
  .openapi('TeamList');
