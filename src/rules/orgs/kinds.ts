import { z } from 'zod';
import { CostUsd } from '../agents/kinds.ts';
import { RepoName } from '../names.ts';
import { defineResource, type ResourceOf } from '../resource.ts';
import { isTimeZone } from '../scheduling/time-zone.ts';

/** Limits for all agents of an org, which take precedence over their AgentRoles. */
export const AgentLimits = z.strictObject({
  /** AgentRoles may use the network; defaults to false. */
  allowNetwork: z.boolean().optional(),
  /** The limit for all runs of the org per day (UTC). */
  costUsdPerDay: CostUsd.optional(),
  /** The number of runs that may start for one issue or pull request within an hour; defaults to 20. */
  runsPerTargetPerHour: z.int().min(1).max(1000).optional(),
});
export type AgentLimits = z.infer<typeof AgentLimits>;

export const ApprovalRules = z.strictObject({
  /** People cannot approve a Change or a Release that they started, guided or wrote; defaults to false. */
  preventSelfApproval: z.boolean(),
  /** The accounts of members on the code host. Without theirs, members cannot approve what an event started. */
  codehostLogins: z
    .array(z.strictObject({ email: z.email().max(254), login: z.string().min(1).max(100) }))
    .max(1000)
    .optional(),
});

export const SchedulingSettings = z.strictObject({
  /** Scheduled runs only start while this is true. */
  enabled: z.boolean(),
  /** The IANA time zone of schedules; UTC when empty. */
  timeZone: z
    .string()
    .trim()
    .refine(
      (name) => name === '' || isTimeZone(name),
      'must be an IANA time zone such as Europe/Berlin, or empty for UTC',
    )
    .default(''),
});
export type SchedulingSettings = z.infer<typeof SchedulingSettings>;

export const OrganizationSpec = z.strictObject({
  displayName: z.string().max(100).optional(),
  /** The account on the code host that owns the org's repos. */
  codehostAccount: z.string().min(1).max(100),
  /** The repo with the desired state of each zone; defaults to `<codehostAccount>/gitops`. */
  gitopsRepo: RepoName,
  agents: AgentLimits.optional(),
  approvals: ApprovalRules.optional(),
  scheduling: SchedulingSettings.optional(),
});
export const OrganizationKind = defineResource({
  kind: 'Organization',
  plural: 'organizations',
  spec: OrganizationSpec,
  status: z.object({}),
  crd: {
    shortNames: ['org', 'orgs'],
    printerColumns: [
      { name: 'Account', path: '.spec.codehostAccount' },
      { name: 'GitOps repo', path: '.spec.gitopsRepo' },
    ],
  },
});
export type Organization = ResourceOf<typeof OrganizationKind>;
