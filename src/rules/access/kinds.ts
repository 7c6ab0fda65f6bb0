import { z } from 'zod';
import { EmailAddress, NameLabel, Timestamp } from '../names.ts';
import { Conditions } from '../conditions.ts';
import { defineResource, type ResourceOf } from '../resource.ts';
import { ProviderGroup } from './provider-group.ts';
import { orgRoles } from './roles.ts';

export const UserSpec = z.strictObject({
  email: EmailAddress.describe('E-mail address that the user signs in with.'),
  platformAdmin: z.boolean().describe('Whether the user administers the whole installation.'),
  identities: z
    .array(
      z.strictObject({
        issuer: z.string().max(500).describe('Issuer of the identity provider.'),
        subject: z.string().min(1).max(255).describe('Id of the person at the issuer, which never changes.'),
      }),
    )
    .max(10)
    .optional()
    .describe('Who the user is at identity providers; absent if the user signs in with a password only.'),
});

const UserIdentity = z.object({
  provider: z.string().describe('Name of the IdentityProvider.'),
  providerUid: z
    .string()
    .describe('Uid of the IdentityProvider; a provider that is created again with the name has another.'),
  groups: z.array(z.string()).describe('Groups of the person at the provider.'),
  renewable: z.boolean().describe('Whether the provider lets the service ask for the groups again.'),
  checkedAt: Timestamp.describe('Time at which the provider last named the groups.'),
  attemptedAt: Timestamp.optional().describe('Time at which the service last asked for the groups.'),
});
export type UserIdentity = z.infer<typeof UserIdentity>;

/**
 * A person who signs in. The Secret of the same name holds the hash of the password, which a person who signs in through
 * an identity provider does not have.
 */
export const UserKind = defineResource({
  kind: 'User',
  plural: 'users',
  spec: UserSpec,
  status: z.object({
    identities: z
      .array(UserIdentity)
      .optional()
      .describe('Identity providers that the user has signed in through, until one of them refuses the user.'),
    conditions: Conditions,
  }),
  crd: {
    printerColumns: [
      { name: 'E-mail', path: '.spec.email' },
      { name: 'Platform admin', path: '.spec.platformAdmin', type: 'boolean' },
      { name: 'Accepted', path: '.status.conditions[?(@.type=="Accepted")].status' },
      { name: 'Message', path: '.status.conditions[?(@.type=="Accepted")].message', wide: true },
    ],
  },
});
export type User = ResourceOf<typeof UserKind>;

/** A bearer token, a browser session, or what lets a session into a zone; its name is derived from the token's SHA-256, the token itself is never kept. */
export const ApiTokenKind = defineResource({
  kind: 'ApiToken',
  plural: 'apitokens',
  spec: z.strictObject({
    use: z
      .enum(['token', 'session', 'login-ticket', 'zone-session'])
      .describe(
        'What the credential is for. A `login-ticket` is valid once and for a minute; the `zone-session` that it is exchanged for opens one zone.',
      ),
    user: z.string().describe('Name of the User who owns the credential.'),
    userUid: z.string().describe('Uid of the User; a User who is created again with the name is another person.'),
    label: z.string().max(100).describe('Label that the owner gave the token.'),
    signInMethod: z
      .enum(['password', 'oidc', 'codehost'])
      .optional()
      .describe(
        'How the owner of a session signed in. A login ticket and a zone session have that of their session; tokens have none.',
      ),
    identityProvider: z
      .strictObject({
        name: z.string().describe('Name of the IdentityProvider.'),
        uid: z.string().describe('Uid of the IdentityProvider.'),
      })
      .optional()
      .describe(
        'IdentityProvider that the owner of a session signed in through. What the session creates, such as a ticket or a token, has that of the session.',
      ),
    zone: z.string().optional().describe('Zone of a login ticket or a zone session.'),
    browser: z.string().optional().describe('Hash of the cookie of the browser that a login ticket is for.'),
    roleMax: z
      .enum(orgRoles)
      .optional()
      .describe('Highest role that a token has in any org; absent for all that its owner may do.'),
    expiresAt: Timestamp.optional().describe('Time at which the credential expires.'),
  }),
  status: z.object({
    lastUsedAt: Timestamp.optional().describe(
      'Time of a recent request with the credential; not every request is recorded.',
    ),
    conditions: Conditions,
  }),
  selectableFields: ['spec.user', 'spec.use'],
  crd: {
    printerColumns: [
      { name: 'User', path: '.spec.user' },
      { name: 'Use', path: '.spec.use' },
      { name: 'Label', path: '.spec.label' },
      { name: 'Last used', path: '.status.lastUsedAt' },
    ],
  },
});
export type ApiToken = ResourceOf<typeof ApiTokenKind>;

/** Gives its members a role in the org of its namespace. */
export const AccessGroupSpec = z.strictObject({
  name: NameLabel.describe('Name of the group, unique in the org.'),
  role: z
    .enum(orgRoles)
    .describe(
      'Role that the members have in the org. Each role includes the ones below it: `org-admin`, `member`, `viewer`.',
    ),
  members: z.array(EmailAddress).max(1000).describe('E-mail addresses of the users in the group.'),
  providerGroups: z
    .array(ProviderGroup)
    .max(100)
    .optional()
    .describe('Groups at identity providers whose people are in the group too.'),
});
export type AccessGroupSpec = z.infer<typeof AccessGroupSpec>;
export const AccessGroupKind = defineResource({
  kind: 'AccessGroup',
  plural: 'accessgroups',
  spec: AccessGroupSpec,
  status: z.object({ conditions: Conditions }),
  crd: {
    printerColumns: [
      { name: 'Role', path: '.spec.role' },
      { name: 'Accepted', path: '.status.conditions[?(@.type=="Accepted")].status' },
      { name: 'Message', path: '.status.conditions[?(@.type=="Accepted")].message', wide: true },
    ],
  },
});
export type AccessGroup = ResourceOf<typeof AccessGroupKind>;
