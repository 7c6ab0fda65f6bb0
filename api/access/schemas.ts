import { z } from '@hono/zod-openapi';
import { EmailAddress, RequestTimestamp, Timestamp } from '../../src/rules/names.ts';
import { AccessGroupSpec, type ApiToken, type User } from '../../src/rules/access/kinds.ts';
import { ProviderGroup } from '../../src/rules/access/provider-group.ts';
import { orgRoles } from '../../src/rules/access/roles.ts';

const RoleMax = z.enum(orgRoles).describe('Highest role that the token has in any org; absent if it is not limited.');

export const TokenExpiry = RequestTimestamp.describe(
  'Time at which the token expires; defaults to the lifetime of TOKEN_DAYS_DEFAULT, which is 90 days unless the installation sets it. TOKEN_DAYS_MAX limits it, to 365 days unless the installation sets it.',
);

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

export const SessionView = z
  .object({
    current: z.boolean().describe('Whether the request was made in this session.'),
    startedAt: Timestamp.describe('Time of the sign-in.'),
    lastUsedAt: Timestamp.optional().describe('Time of a recent request; not every request is recorded.'),
    expiresAt: Timestamp.describe('Time at which the session ends at the latest.'),
  })
  .openapi('Session');

export const toSessionView = (
  { metadata, spec, status }: ApiToken,
  credential: ApiToken,
): z.infer<typeof SessionView> => ({
  current: metadata.name === credential.metadata.name,
  startedAt: metadata.creationTimestamp,
  ...(status?.lastUsedAt !== undefined && { lastUsedAt: status.lastUsedAt }),
  expiresAt: spec.expiresAt ?? metadata.creationTimestamp,
});

export const NewPassword = z.string().min(12, 'must have at least 12 characters').max(200);

export const NewUserBody = z.strictObject({
  email: EmailAddress.describe('E-mail address that the user signs in with.'),
  password: NewPassword.describe('Password of at least 12 characters.'),
});
export type NewUserBody = z.infer<typeof NewUserBody>;

export const UserParams = z.object({
  user: z.string().min(1).max(253).openapi({ description: 'Name of the user.', example: 'jo-1a2b3c' }),
});

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

const GroupStatus = z
  .object({
    name: z.string().describe('Name of the group.'),
    role: z.enum(orgRoles).describe('Role that the group gives.'),
    members: z
      .array(
        z.object({
          email: z.string().describe('E-mail address in the group.'),
          isUser: z.boolean().describe('Whether a user with this address can sign in.'),
        }),
      )
      .describe('Members of the group.'),
    providerGroups: z
      .array(
        ProviderGroup.extend({
          people: z.array(z.string()).describe('E-mail addresses of the people who have signed in with the group.'),
        }),
      )
      .optional()
      .describe('Groups at identity providers whose people are in the group too.'),
  })
  .openapi('AccessGroupStatus');
const groupStatuses = z.array(GroupStatus).describe('Access groups of the org.');
export const AccessGroupsStatusView = z.object({ accessGroups: groupStatuses }).openapi('AccessGroupStatusList');
/** The view of the deprecated operation that `getAccessGroupsStatus` replaced. */
export const TeamsStatusView = z.object({ teams: groupStatuses }).openapi('TeamStatusList');

const roleWithReasons = {
  role: z.enum(orgRoles).describe('Highest role of the person in the org.'),
  platformAdmin: z.boolean().describe('Whether the person administers the installation, and so has every role.'),
  reasons: z
    .array(
      z.object({
        accessGroup: z.string().describe('Access group that gives the role.'),
        role: z.enum(orgRoles).describe('Role that the group gives.'),
        providerGroup: ProviderGroup.optional().describe(
          'Group at an identity provider through which the person is in it; absent for a person whom it names.',
        ),
      }),
    )
    .describe('Access groups that give the person a role; empty for a platform admin who is in none.'),
};
export const OrgPersonView = z
  .object({
    email: z.string().describe('E-mail address of the person.'),
    user: z.string().optional().describe('Name of the user; absent if no user has the address yet.'),
    ...roleWithReasons,
  })
  .openapi('OrgPerson');
export const PersonRoleView = z
  .object({ org: z.string().describe('Name of the org.'), ...roleWithReasons })
  .openapi('PersonRole');

const count = z.int().min(0);
export const PeopleCounts = z
  .object({
    viewer: count.describe('Number of people whose role is `viewer`.'),
    member: count.describe('Number of people whose role is `member`.'),
    'org-admin': count.describe('Number of people whose role is `org-admin`.'),
  })
  .describe('Number of matching people by their highest role, on all pages.')
  .openapi('PeopleCounts');

const membership = {
  org: z.string().describe('Org of the group.'),
  role: z.enum(orgRoles).describe('Role that the group gives you in the org.'),
};
export const MembershipsView = z
  .object({
    items: z
      .array(z.object({ accessGroup: z.string().describe('Name of the group.'), ...membership }))
      .describe('Access groups that you are in.'),
  })
  .openapi('MembershipList');
/** The view of the deprecated operation that `listMyAccessGroups` replaced. */
export const TeamMembershipsView = z
  .object({
    items: z
      .array(z.object({ team: z.string().describe('Name of the group.'), ...membership }))
      .describe('Access groups that you are in.'),
  })
  .openapi('TeamMembershipList');
