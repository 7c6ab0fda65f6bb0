import { z } from 'zod';
import { CostUsd } from '../agents/kinds.ts';
import { EmailAddress, nameText, RepoName } from '../names.ts';
import { Conditions } from '../conditions.ts';
import { defineResource, type ResourceOf } from '../resource.ts';
import { isTimeZone } from '../scheduling/time-zone.ts';

/** Limits for all agents of an org, which take precedence over their AgentRoles. */
export const AgentLimits = z.strictObject({
  allowNetwork: z.boolean().optional().describe('Whether AgentRoles may use the network; defaults to false.'),
  costUsdPerDay: CostUsd.optional().describe('Maximum cost of all runs of the org per day (UTC), in US dollars.'),
  runsPerTargetPerHour: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe('Number of runs that may start for one issue or pull request within an hour; defaults to 20.'),
});
export type AgentLimits = z.infer<typeof AgentLimits>;

export const ApprovalRules = z.strictObject({
  preventSelfApproval: z
    .boolean()
    .describe(
      'Whether people are prevented from approving a Change or a Release that they started, guided or wrote; defaults to false.',
    ),
  codehostLogins: z
    .array(
      z.strictObject({
        email: EmailAddress.describe('E-mail address of the member.'),
        login: z.string().min(1).max(100).describe('Account of the member on the code host.'),
      }),
    )
    .max(1000)
    .optional()
    .describe('Accounts of members on the code host. Without theirs, members cannot approve what an event started.'),
});

export const SchedulingSettings = z.strictObject({
  enabled: z.boolean().describe('Whether scheduled runs start.'),
  timeZone: z
    .string()
    .trim()
    .refine(
      (name) => name === '' || isTimeZone(name),
      'must be an IANA time zone such as Europe/Berlin, or empty for UTC',
    )
    .default('')
    .describe('IANA time zone of schedules, such as `Europe/Berlin`; UTC when empty.'),
});
export type SchedulingSettings = z.infer<typeof SchedulingSettings>;

export const OrganizationSpec = z.strictObject({
  displayName: nameText(100).optional().describe('Display name of the org.'),
  codehostAccount: z.string().min(1).max(100).describe('Account on the code host that owns the org’s repos.'),
  gitopsRepo: RepoName.describe('Repo with the desired state of each zone; defaults to `<codehostAccount>/gitops`.'),
  agents: AgentLimits.optional().describe('Limits of the org’s agents.'),
  approvals: ApprovalRules.optional().describe('Approval rules of the org.'),
  scheduling: SchedulingSettings.optional().describe('Scheduling settings of the org.'),
});
export const OrganizationStatus = z.object({
  deletionMessage: z
    .string()
    .optional()
    .describe('What the deletion of the org is waiting for; absent if the org is not being deleted.'),
  deletedBy: z.string().optional().describe('E-mail address of the person who deleted the org.'),
  conditions: Conditions,
});
export const OrganizationKind = defineResource({
  kind: 'Organization',
  plural: 'organizations',
  spec: OrganizationSpec,
  status: OrganizationStatus,
  crd: {
    shortNames: ['org', 'orgs'],
    printerColumns: [
      { name: 'Account', path: '.spec.codehostAccount' },
      { name: 'GitOps repo', path: '.spec.gitopsRepo' },
      { name: 'Accepted', path: '.status.conditions[?(@.type=="Accepted")].status' },
      { name: 'Message', path: '.status.conditions[?(@.type=="Accepted")].message', wide: true },
      { name: 'Deletion', path: '.status.deletionMessage', wide: true },
    ],
  },
});
export type Organization = ResourceOf<typeof OrganizationKind>;

/** Keeps a deleted Organization until everything that belongs to the org is deleted. */
export const orgFinalizer = 'service.delivery/org';
