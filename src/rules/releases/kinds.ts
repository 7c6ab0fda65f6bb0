import { z } from 'zod';
import { RefusedDecision } from '../access/refused-decision.ts';
import { Evidence, Failure } from '../changes/kinds.ts';
import { RepoName, Timestamp } from '../names.ts';
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
export const Screenshot = Evidence.extend({ at: Timestamp, failure: z.string().optional() });
export type Screenshot = z.infer<typeof Screenshot>;

/** The status of one Release in one zone. */
export const ReleaseZone = z.object({
  name: z.string(),
  phase: z.enum(zonePhases),
  address: z.string().optional(),
  startedAt: Timestamp.optional(),
  healthyAt: Timestamp.optional(),
  verifiedAt: Timestamp.optional(),
  pullRequest: z.object({ number: z.int(), url: z.string() }).optional(),
  /** The commit of the gitops repo that carries the promotion. */
  gitopsCommit: z.string().optional(),
  decision: z
    .object({
      by: z.string(),
      role: z.string(),
      outcome: z.enum(['approved', 'rejected']),
      note: z.string().optional(),
      /** The commit that was reviewed. */
      commit: z.string().optional(),
      at: Timestamp,
      /** The decision as the API signed it. */
      proof: z.string().optional(),
    })
    .optional(),
  waitingFor: z.object({ role: z.string(), since: Timestamp, message: z.string().optional() }).optional(),
  smokeCheck: z
    .object({
      url: z.string(),
      status: z.int().optional(),
      durationMs: z.number().optional(),
      response: z.string().optional(),
    })
    .optional(),
  screenshot: Screenshot.optional(),
  failure: Failure.optional(),
});
export type ReleaseZone = z.infer<typeof ReleaseZone>;

export const ReleaseSpec = z.strictObject({
  product: z.string(),
  repo: RepoName,
  commit: z.string(),
  version: z.string().regex(versionPattern),
  /** The AgentWorkflowRun whose merge started the Release; absent when a person started it. */
  run: z.string().optional(),
  startedBy: z.string(),
});
export type ReleaseSpec = z.infer<typeof ReleaseSpec>;

export const ReleaseStatus = z.object({
  phase: z.enum(releasePhases),
  startedAt: Timestamp.optional(),
  builtAt: Timestamp.optional(),
  taggedAt: Timestamp.optional(),
  finishedAt: Timestamp.optional(),
  digest: z.string().optional(),
  url: z.string().optional(),
  /** The runs that the tag started (trigger `release.cut`). */
  cutRuns: z.array(z.object({ agentWorkflow: z.string(), run: z.string() })).optional(),
  zones: z.array(ReleaseZone),
  refusedDecision: RefusedDecision.optional(),
  failure: Failure.optional(),
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
