import { z } from 'zod';
import { NameLabel, Timestamp } from '../names.ts';
import { defineResource, type ResourceOf } from '../resource.ts';
import { orgRoles } from './roles.ts';

/** A person who signs in. The Secret of the same name holds the hash of the password. */
export const UserKind = defineResource({
  kind: 'User',
  plural: 'users',
  spec: z.strictObject({ email: z.email().max(254), platformAdmin: z.boolean() }),
  status: z.object({}),
  crd: {
    printerColumns: [
      { name: 'E-mail', path: '.spec.email' },
      { name: 'Platform admin', path: '.spec.platformAdmin', type: 'boolean' },
    ],
  },
});
export type User = ResourceOf<typeof UserKind>;

/** A bearer token, a browser session, or what lets a session into a zone; its name is derived from the token's SHA-256, the token itself is never kept. */
export const ApiTokenKind = defineResource({
  kind: 'ApiToken',
  plural: 'apitokens',
  spec: z.strictObject({
    /** A `login-ticket` is valid once and for a minute; the `zone-session` that it is exchanged for opens one zone. */
    use: z.enum(['token', 'session', 'login-ticket', 'zone-session']),
    user: z.string(),
    /** The uid of the User, because a User who is created again under the name is another person. */
    userUid: z.string(),
    label: z.string().max(100),
    /** The zone of a login ticket or a zone session. */
    zone: z.string().optional(),
    /** The hash of the cookie of the browser that a login ticket is for. */
    browser: z.string().optional(),
    expiresAt: Timestamp.optional(),
  }),
  status: z.object({ lastUsedAt: Timestamp.optional() }),
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
  name: NameLabel,
  role: z.enum(orgRoles),
  /** E-mail addresses of users. */
  members: z.array(z.email()).max(1000),
});
export type AccessGroupSpec = z.infer<typeof AccessGroupSpec>;
export const AccessGroupKind = defineResource({
  kind: 'AccessGroup',
  plural: 'accessgroups',
  spec: AccessGroupSpec,
  status: z.object({}),
  crd: { printerColumns: [{ name: 'Role', path: '.spec.role' }] },
});
export type AccessGroup = ResourceOf<typeof AccessGroupKind>;
