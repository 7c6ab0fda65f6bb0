import { z } from 'zod';
import type { RefusedDecision } from '../access/refused-decision.ts';
import { Timestamp } from '../names.ts';

/** A frozen zone accepts no promotions, unless a person overrides the freeze. */
export const FreezeStatus = z.object({
  reason: z.string(),
  by: z.string(),
  since: Timestamp,
  /** The time at which the freeze ends automatically. */
  until: Timestamp.optional(),
});
export type FreezeStatus = z.infer<typeof FreezeStatus>;

/** A hold follows a rollback: automatic promotions wait until a person promotes the newest version. */
export const HoldStatus = z.object({
  version: z.string(),
  newestVersion: z.string(),
  by: z.string(),
  since: Timestamp,
});
export type HoldStatus = z.infer<typeof HoldStatus>;

/** The progress of applying the settings of one generation of the Product. */
export const SettingsStatus = z.object({
  generation: z.int(),
  phase: z.enum(['Applying', 'Applied', 'Failed']),
  at: Timestamp,
  pullRequest: z.object({ number: z.int(), url: z.string() }).optional(),
  message: z.string().optional(),
});
export type SettingsStatus = z.infer<typeof SettingsStatus>;

export const RemovalStatus = z.object({
  by: z.string(),
  since: Timestamp,
  /** The step that the removal waits for, and the remaining resources as `<kind>/<name>`. */
  message: z.string(),
  remaining: z.array(z.string()),
});
export type RemovalStatus = z.infer<typeof RemovalStatus>;

/** A merge patch of a zone's status, except for the Release that runs; `null` removes a field. */
export type ZoneStatePatch = {
  freeze?: FreezeStatus | null;
  hold?: HoldStatus | null;
  settings?: SettingsStatus;
  removal?: RemovalStatus;
  refusedDecision?: RefusedDecision;
};
