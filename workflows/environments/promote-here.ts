import { ActivityFailure, ApplicationFailure, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ZonePatch } from '../../src/rules/releases/release-status.ts';
import { gitops, watching } from '../activity-options.ts';
import type { Keeper, Outcome } from './keeper.ts';
import type { Arrival } from './messages.ts';
import { beginScreenshot } from './take-screenshot.ts';

const { promoteInGitops } = proxyActivities<Activities>(gitops);
const { awaitHealthy, smokeCheck } = proxyActivities<Activities>(watching);

export const timestamp = (): string => new Date().toISOString();

/** Brings one Release into the zone; the answer says how it ended. */
export async function promoteHere(keeper: Keeper, arrival: Arrival): Promise<Outcome> {
  const { pace, ref } = keeper;
  const { zone } = ref;
  const here = { ...ref, release: arrival.release };
  const record = async (patch: ZonePatch): Promise<void> => await keeper.record(arrival, patch);
  try {
    await record({ phase: 'Promoting', startedAt: timestamp(), waitingFor: null });
    const promotion = await promoteInGitops({
      ...here,
      version: arrival.version,
      digest: arrival.digest,
      commit: arrival.commit,
    });
    if (promotion.outcome === 'refused')
      return failed(zone, promotion.message, 'Mend it in the gitops repo, then start the Release again.');
    const { pullRequest, gitopsCommit } = promotion;
    await record({ phase: 'Deploying', ...(pullRequest ? { pullRequest } : {}), gitopsCommit });
    const health = await awaitHealthy({
      ...here,
      digest: arrival.digest,
      gitopsCommit,
      mergedAt: promotion.mergedAt,
      withinMs: pace.healthyWithinMs,
    });
    if (health.outcome === 'failed')
      return failed(zone, health.why, 'Look at the zone’s logs and mend the app in a new Change.');
    await record({ phase: 'Healthy', healthyAt: health.healthyAt });
    await record({ phase: 'Verifying' });
    const check = await smokeCheck({ ...here, everyMs: pace.smokeCheckEveryMs });
    // Also of an app that does not answer well: it shows more than its status.
    await beginScreenshot(here);
    if (check.outcome === 'failed')
      return {
        ...failed(
          zone,
          check.why,
          'The new version runs in the zone but does not answer well. Mend it in a new Change.',
        ),
        smokeCheck: check.answer,
      };
    return { phase: 'Verified', verifiedAt: timestamp(), smokeCheck: check.answer };
  } catch (error) {
    return failed(zone, reasonOfActivity(error), 'Mend what it names, then start the Release again.');
  }
}

/** Why an activity refused; anything else is thrown on, a cancellation above all. */
export function reasonOfActivity(error: unknown): string {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
  return error.cause instanceof ApplicationFailure ? error.cause.message : error.message;
}

export function failed(zone: string, reason: string, fix: string): Outcome {
  return { phase: 'Failed', failure: { reason, resource: `zone ${zone}`, fix, at: timestamp() } };
}
