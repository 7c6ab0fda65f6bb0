import { z } from 'zod';
import { Timestamp } from '../names.ts';

/** Nothing comes in while it stands, unless a person says so in as many words. */
export const FreezeStatus = z.object({
  reason: z.string(),
  by: z.string(),
  since: Timestamp,
  /** When it ends by itself. */
  until: Timestamp.optional(),
});
export type FreezeStatus = z.infer<typeof FreezeStatus>;

/** A person brought an older Release back: what arrives by itself waits until a person promotes the newest. */
export const HoldStatus = z.object({ version: z.string(), newest: z.string(), by: z.string(), since: Timestamp });
export type HoldStatus = z.infer<typeof HoldStatus>;

/** How far the settings of one generation of the Product have come. */
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
  /** What it waits for, and the resources that are still there, as `<kind>/<name>`. */
  message: z.string(),
  remaining: z.array(z.string()),
});
export type RemovalStatus = z.infer<typeof RemovalStatus>;

/** What people and the zone's keeper decided about it, besides what runs; `null` takes a field away. */
export type ZoneStatePatch = {
  freeze?: FreezeStatus | null;
  hold?: HoldStatus | null;
  settings?: SettingsStatus;
  removal?: RemovalStatus;
};
