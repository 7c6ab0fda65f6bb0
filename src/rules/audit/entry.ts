import { z } from 'zod';
import { Timestamp } from '../names.ts';

const Value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

export const AuditParameter = z.object({
  name: z
    .string()
    .describe(
      'Name of the value: `path.<parameter>`, `query.<parameter>`, or `body.<field>` with dots between fields.',
    ),
  value: Value.describe('The value. A secret is `[secret]`, and text that people wrote is its length.'),
});
export type AuditParameter = z.infer<typeof AuditParameter>;

export const AuditField = z.object({
  field: z.string().describe('Path of the field; items of a list are in brackets, by name where they have one.'),
  before: Value.optional().describe('Value before the change; absent if the field did not exist.'),
  after: Value.optional().describe('Value after the change; absent if the field was removed.'),
});
export type AuditField = z.infer<typeof AuditField>;

export const AuditedChange = z.object({
  kind: z.string().describe('Kind of the resource.'),
  name: z.string().describe('Name of the resource.'),
  action: z.enum(['created', 'updated', 'deleted']).describe('What was done with the resource.'),
  fields: z
    .array(AuditField)
    .describe(
      'Fields that changed. The value of a secret is shown by its fingerprint, which changes only if the value does.',
    ),
  omittedFields: z.int().optional().describe('Number of changed fields that are left out; absent if there are none.'),
});
export type AuditedChange = z.infer<typeof AuditedChange>;

export const auditResults = ['succeeded', 'refused', 'failed', 'unknown'] as const;
export type AuditResult = (typeof auditResults)[number];

/** The record of one change. It is written before the change begins, and completed when it has ended. */
export const AuditEntry = z.object({
  id: z.string().describe('Id of the entry. A later entry has a greater id.'),
  at: Timestamp.describe('Time at which the change began.'),
  org: z.string().optional().describe('Org that was changed; absent for the installation.'),
  operation: z.string().describe('OperationId of the change.'),
  by: z.string().optional().describe('E-mail address of the person; absent if the caller had not signed in.'),
  user: z.string().optional().describe('Name of the User; absent if the caller had not signed in.'),
  via: z.enum(['session', 'token', 'setup-token', 'anonymous']).describe('How the caller was authenticated.'),
  credential: z
    .object({
      name: z.string().describe('Name of the token or session, which is not its text.'),
      label: z.string().describe('Label of the token.'),
    })
    .optional()
    .describe('Token or session of the caller; absent if there was none.'),
  address: z.string().describe('IPv4 address of the caller, or the first 64 bits of an IPv6 address.'),
  userAgent: z.string().optional().describe('Program of the caller, by its own account; absent if it names none.'),
  requestId: z.string().describe('Id of the request, which lines of the log have too.'),
  parameters: z.array(AuditParameter).describe('Parameters of the request.'),
  omittedParameters: z.int().optional().describe('Number of parameters that are left out; absent if there are none.'),
  result: z
    .enum(auditResults)
    .describe('`unknown` until the change has ended, and for good if the process ended within it.'),
  status: z.int().optional().describe('HTTP status of the response; absent while the result is unknown.'),
  reason: z.string().optional().describe('Machine-readable reason of a refusal or failure.'),
  changes: z.array(AuditedChange).describe('Resources that were written; empty for decisions that a workflow acts on.'),
  omittedChanges: z.int().optional().describe('Number of resources that are left out; absent if there are none.'),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
