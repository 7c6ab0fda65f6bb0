import { z } from 'zod';
import { Conditions } from '../conditions.ts';
import { Timestamp } from '../names.ts';
import { ReleaseZone, zonePhases } from '../releases/kinds.ts';
import { versionPattern } from '../releases/next-version.ts';
import { defineResource, type ResourceOf } from '../resource.ts';

export const PromotionSpec = z.strictObject({
  product: z.string().describe('Product of the zone.'),
  zone: z.string().describe('Zone that the Release is promoted to.'),
  release: z.string().describe('Release that is promoted.'),
  version: z.string().regex(versionPattern).describe('Version of the Release.'),
  commit: z.string().describe('Commit of the Release.'),
  trigger: z
    .enum(['release', 'manual', 'rollback'])
    .describe('`release` if the Release reached the zone, `manual` or `rollback` if a person chose the version.'),
  startedBy: z
    .string()
    .describe('E-mail address of the person who promoted, or of the person or trigger that started the Release.'),
});
export type PromotionSpec = z.infer<typeof PromotionSpec>;

export const PromotionStatus = ReleaseZone.omit({ name: true, address: true, promotion: true }).extend({
  phase: z.enum(zonePhases).describe('Phase of the Promotion.'),
  phases: z
    .array(
      z.object({ phase: z.enum(zonePhases).describe('The phase.'), at: Timestamp.describe('Time at which it began.') }),
    )
    .describe('Phases of the Promotion so far, oldest first.'),
  finishedAt: Timestamp.optional().describe('Time at which the Promotion ended, whatever its outcome.'),
  conditions: Conditions,
});
export type PromotionStatus = z.infer<typeof PromotionStatus>;

/** One attempt to bring a Release into a zone. It never changes after it ends, even if the Release is promoted there again. */
export const PromotionKind = defineResource({
  kind: 'Promotion',
  plural: 'promotions',
  spec: PromotionSpec,
  status: PromotionStatus,
  selectableFields: ['spec.product', 'spec.zone', 'spec.release'],
  crd: {
    printerColumns: [
      { name: 'Zone', path: '.spec.zone' },
      { name: 'Version', path: '.spec.version' },
      { name: 'Phase', path: '.status.phase' },
      { name: 'Trigger', path: '.spec.trigger' },
      { name: 'Started by', path: '.spec.startedBy' },
      { name: 'Decided by', path: '.status.decision.by', wide: true },
      { name: 'Finished', path: '.status.finishedAt', type: 'date' },
    ],
    validations: [{ rule: 'self == oldSelf', message: 'spec is immutable; promote again' }],
  },
});
export type Promotion = ResourceOf<typeof PromotionKind>;
