import { z } from 'zod';
import { RefusedDecision } from '../access/refused-decision.ts';
import { Evidence, Failure, WaitingFor } from '../changes/kinds.ts';
import { RepoName, Timestamp, PullRequestRef } from '../names.ts';
import { Conditions } from '../conditions.ts';
import { defineResource, type ResourceOf } from '../resource.ts';
import { versionPattern } from './next-version.ts';

export const releasePhases = [
  'Building',
  'Tagging',
  'Promoting',
  'Succeeded',
  'Failed',
  'Superseded',
  'Cancelled',
] as const;

export const zonePhases = [
  'Pending',
  'WaitingForApproval',
  'Promoting',
  'Deploying',
  'Healthy',
  'Verifying',
  'Verified',
  'Failed',
  'Superseded',
  'Rejected',
  'Cancelled',
] as const;
export type ZonePhase = (typeof zonePhases)[number];

/** A screenshot of a zone's site; with `failure` set, the image is a placeholder that shows the reason. */
export const Screenshot = Evidence.extend({
  at: Timestamp.describe('Time of the screenshot.'),
  failure: z.string().optional().describe('Why the image is a placeholder; absent for a real screenshot.'),
});
export type Screenshot = z.infer<typeof Screenshot>;

/** The status of one Release in one zone. */
export const ReleaseZone = z.object({
  name: z.string().describe('Name of the zone.'),
  phase: z.enum(zonePhases).describe('Phase of the promotion to the zone.'),
  promotion: z.string().optional().describe('Latest Promotion to the zone, which the entry shows.'),
  address: z.string().optional().describe('URL of the zone.'),
  startedAt: Timestamp.optional().describe('Time at which the promotion started.'),
  healthyAt: Timestamp.optional().describe('Time at which the deployment became healthy.'),
  verifiedAt: Timestamp.optional().describe('Time at which the smoke check succeeded.'),
  pullRequest: PullRequestRef.optional().describe('Pull request in the gitops repo that promotes the Release.'),
  gitopsCommit: z.string().optional().describe('Commit of the gitops repo that carries the promotion.'),
  decision: z
    .object({
      by: z.string().describe('E-mail address of the person who decided.'),
      role: z.string().describe('Role of the person in the org.'),
      outcome: z.enum(['approved', 'rejected']).describe('The decision.'),
      note: z.string().optional().describe('Note of the person.'),
      commit: z.string().optional().describe('Commit that was reviewed.'),
      at: Timestamp.describe('Time of the decision.'),
      proof: z.string().optional().describe('The decision as the API signed it.'),
    })
    .optional()
    .describe('Decision of a person about the promotion.'),
  waitingFor: WaitingFor.optional().describe('What the promotion waits for; absent if it does not wait.'),
  smokeCheck: z
    .object({
      url: z.string().describe('URL that was requested.'),
      status: z.int().optional().describe('HTTP status of the response.'),
      durationMs: z.number().optional().describe('Time until the response, in milliseconds.'),
      response: z.string().optional().describe('Beginning of the response body.'),
    })
    .optional()
    .describe('Result of the smoke check.'),
  screenshot: Screenshot.optional().describe('Screenshot of the zone’s site after the promotion.'),
  failure: Failure.optional().describe('Failure of the promotion.'),
});
export type ReleaseZone = z.infer<typeof ReleaseZone>;

export const ReleaseSpec = z.strictObject({
  product: z.string().describe('Product that is released.'),
  repo: RepoName.describe('Repo that is built.'),
  commit: z.string().describe('Commit that is built.'),
  version: z.string().regex(versionPattern).describe('Semantic version of the Release.'),
  run: z
    .string()
    .optional()
    .describe('AgentWorkflowRun whose merge started the Release; absent when a person started it.'),
  startedBy: z
    .string()
    .describe('E-mail address of the person who started the Release, or the trigger that started it.'),
});
export type ReleaseSpec = z.infer<typeof ReleaseSpec>;

/** An earlier attempt to release the commit, as it ended. */
const ReleaseAttempt = z.object({
  phase: z.enum(releasePhases).describe('Phase in which the attempt ended.'),
  startedBy: z.string().optional().describe('E-mail address of the person, or the trigger, that started it.'),
  startedAt: Timestamp.optional().describe('Time at which the attempt started.'),
  finishedAt: Timestamp.optional().describe('Time at which the attempt finished.'),
  failure: Failure.optional().describe('Failure that stopped the attempt.'),
});
export type ReleaseAttempt = z.infer<typeof ReleaseAttempt>;

export const ReleaseStatus = z.object({
  phase: z.enum(releasePhases).describe('Phase of the Release.'),
  startedBy: z.string().optional().describe('E-mail address of the person, or the trigger, that last started it.'),
  startedAt: Timestamp.optional().describe('Time at which the Release last started.'),
  builtAt: Timestamp.optional().describe('Time at which the image was built.'),
  taggedAt: Timestamp.optional().describe('Time at which the commit was tagged.'),
  finishedAt: Timestamp.optional().describe('Time at which the Release finished.'),
  imageRepository: z.string().optional().describe('Image repository to which the build pushes the image.'),
  digest: z.string().optional().describe('Digest of the image.'),
  url: z.string().optional().describe('URL of the release at the code host.'),
  cutRuns: z
    .array(
      z.object({
        agentWorkflow: z.string().describe('AgentWorkflow of the run.'),
        run: z.string().describe('Name of the run.'),
      }),
    )
    .optional()
    .describe('Runs that the tag started (trigger `release.cut`).'),
  zones: z.array(ReleaseZone).describe('Status of the Release in each zone.'),
  attempts: z
    .array(ReleaseAttempt)
    .optional()
    .describe('Earlier attempts to release the commit, oldest first; the newest 30 are kept.'),
  refusedDecision: RefusedDecision.optional().describe(
    'Last decision that was refused, because it was not made through the API.',
  ),
  failure: Failure.optional().describe('Failure that stopped the Release.'),
  conditions: Conditions,
});
export type ReleaseStatus = z.infer<typeof ReleaseStatus>;

export const ReleaseKind = defineResource({
  kind: 'Release',
  plural: 'releases',
  spec: ReleaseSpec,
  status: ReleaseStatus,
  selectableFields: ['spec.product', 'spec.commit', 'status.phase'],
  crd: {
    printerColumns: [
      { name: 'Product', path: '.spec.product' },
      { name: 'Version', path: '.spec.version' },
      { name: 'Phase', path: '.status.phase' },
      { name: 'Zone', path: '.status.zones[-1:].name' },
      { name: 'Zone phase', path: '.status.zones[-1:].phase' },
      { name: 'Commit', path: '.spec.commit', wide: true },
      { name: 'Failure', path: '.status.failure.message', wide: true },
    ],
    validations: [{ rule: 'self == oldSelf', message: 'spec is immutable; cut another Release' }],
  },
});
export type Release = ResourceOf<typeof ReleaseKind>;
