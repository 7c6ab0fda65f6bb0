import { z } from 'zod';
import type { RefusedDecision } from '../access/refused-decision.ts';
import { Timestamp } from '../names.ts';

/** A frozen zone accepts no promotions, unless a person overrides the freeze. */
export const FreezeStatus = z.object({
  reason: z.string().describe('Why the zone is frozen.'),
  by: z.string().describe('E-mail address of the person who froze the zone.'),
  since: Timestamp.describe('Time at which the freeze began.'),
  until: Timestamp.optional().describe('Time at which the freeze ends automatically.'),
});
export type FreezeStatus = z.infer<typeof FreezeStatus>;

/** A hold follows a rollback: automatic promotions wait until a person promotes the newest version. */
export const HoldStatus = z.object({
  version: z.string().describe('Version that the zone was rolled back to.'),
  newestVersion: z.string().describe('Newest version, which a person must promote to end the hold.'),
  by: z.string().describe('E-mail address of the person who rolled back.'),
  since: Timestamp.describe('Time at which the hold began.'),
});
export type HoldStatus = z.infer<typeof HoldStatus>;

/** The progress of applying the settings of one generation of the Product. */
export const SettingsStatus = z.object({
  generation: z.int().describe('Generation of the Product that contains the settings.'),
  phase: z.enum(['Applying', 'Applied', 'Failed']).describe('Phase of applying the settings.'),
  at: Timestamp.describe('Time at which the phase began.'),
  pullRequest: z
    .object({
      number: z.int().describe('Number of the pull request.'),
      url: z.string().describe('URL of the pull request at the code host.'),
    })
    .optional()
    .describe('Pull request in the gitops repo that applies the settings.'),
  message: z.string().optional().describe('Why the settings are not applied.'),
});
export type SettingsStatus = z.infer<typeof SettingsStatus>;

export const RemovalStatus = z.object({
  by: z.string().describe('E-mail address of the person who removed the zone.'),
  since: Timestamp.describe('Time at which the removal began.'),
  step: z
    .enum(['files', 'application', 'namespace'])
    .optional()
    .describe(
      'What is being deleted: the files in the gitops repo, the Application with everything it deployed, or the namespace. Absent before the removal has begun.',
    ),
  message: z.string().describe('Step that the removal waits for.'),
  remaining: z.array(z.string()).describe('Resources that still exist, as `<kind>/<name>`.'),
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
