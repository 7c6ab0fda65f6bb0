import { ActivityFailure, CancellationScope, isCancellation, patched, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { defined } from '../../src/defined.ts';
import type { Failure, WaitingFor } from '../../src/rules/changes/kinds.ts';
import type { ZonePatch } from '../../src/rules/releases/release-status.ts';
import { gitopsOptions } from '../activity-options.ts';
import { activityFailureMessage } from '../failures.ts';
import { proxyWaits } from '../proxy-waits.ts';
import { startDetached } from '../start-detached.ts';
import { timestamp } from '../timestamp.ts';
import { closeUnlessPromoted } from './close-unless-promoted.ts';
import { type AcceptedRequest, takeScreenshotStart } from './messages.ts';
import { waitUntilUnfrozen } from './wait-until-unfrozen.ts';
import { writeWhenAllowed } from './write-when-allowed.ts';
import type { PromotionOutcome, ZoneController } from './zone-controller.ts';

const { writePromotion } = proxyActivities<Activities>(gitopsOptions);

/** Promotes one Release to the zone and returns the outcome. */
export async function runPromotion(controller: ZoneController, request: AcceptedRequest): Promise<PromotionOutcome> {
  const { intervals, ref } = controller;
  const { zone } = ref;
  const { waitForZoneHealth, runSmokeCheck } = proxyWaits();
  const { release, version, digest, commit } = request;
  const releaseRef = { ...ref, release };
  const record = async (patch: ZonePatch): Promise<void> => await controller.recordPromotion(request, patch);
  const show = async (waitingFor: WaitingFor | null): Promise<void> => await record({ waitingFor });
  try {
    await record({ phase: 'Promoting', startedAt: timestamp(), waitingFor: null });
    const write = async () =>
      await writeWhenAllowed(controller, {
        pause: async () => !request.overrideFreeze && (await waitUntilUnfrozen(controller, show)),
        write: async (proposal) =>
          await writePromotion({ ...releaseRef, version, digest, commit, ...defined({ proposal }) }),
        onBlocked: show,
      });
    const promotion = await writeUnlessWithdrawn(
      controller,
      async () => await closeUnlessPromoted({ ...ref, version }, write),
    );
    if (promotion.outcome === 'withdrawn') return await toCancelledOutcome(controller);
    if (promotion.outcome === 'refused')
      return toFailedOutcome(zone, {
        reason: 'promotion-refused',
        message: promotion.message,
        fix: promotion.isClosed
          ? `To open another pull request, ${toRetry(controller, request)}.`
          : `Fix the error in the gitops repo, then ${toRetry(controller, request)}.`,
      });
    const { pullRequest, gitopsCommit, mergedAt } = promotion;
    await record({ phase: 'Deploying', waitingFor: null, ...(pullRequest ? { pullRequest } : {}), gitopsCommit });
    const timeoutMs = intervals.healthyTimeoutMs;
    const health = await waitForZoneHealth({ ...releaseRef, digest, gitopsCommit, mergedAt, timeoutMs });
    if (health.outcome === 'failed')
      return toFailedOutcome(zone, {
        reason: 'zone-unhealthy',
        message: health.message,
        fix: health.fix ?? 'Read the zone’s logs and fix the app in a new Change.',
      });
    await record({ phase: 'Healthy', healthyAt: health.healthyAt });
    // An app that fails the smoke check gets a screenshot too, because it shows more than the response's status.
    const isPerImage = patched('screenshot-per-image');
    await startDetached(takeScreenshotStart({ ...releaseRef, digest }, { isPerImage }));
    await record({ phase: 'Verifying' });
    const check = await runSmokeCheck({ ...releaseRef, intervalMs: intervals.smokeCheckIntervalMs });
    if (check.outcome === 'failed')
      return {
        ...toFailedOutcome(zone, {
          reason: 'smoke-check-failed',
          message: check.message,
          fix: 'The new version runs in the zone but fails the smoke check. Fix it in a new Change.',
        }),
        smokeCheck: check.response,
      };
    return { phase: 'Verified', verifiedAt: timestamp(), smokeCheck: check.response };
  } catch (error) {
    return toFailedOutcome(zone, {
      reason: 'activity-failed',
      message: activityFailureMessage(error),
      fix: `Fix the error above, then ${toRetry(controller, request)}.`,
    });
  }
}

/** Starting the Release of a manual promotion again can be refused, or clears the zones to which it can be rolled back. */
const toRetry = ({ ref }: ZoneController, { attempt, version }: AcceptedRequest): string =>
  attempt.cause ? `promote ${version} to ${ref.zone} again` : 'start the Release again';

/** Runs the write in a scope that a withdrawal cancels; a write that is complete by then counts. */
async function writeUnlessWithdrawn<T>(
  { inProgress }: ZoneController,
  write: () => Promise<T>,
): Promise<T | { outcome: 'withdrawn' }> {
  const scope = new CancellationScope();
  if (inProgress?.withdrawnBy !== undefined) return { outcome: 'withdrawn' };
  if (inProgress) inProgress.write = scope;
  try {
    return await scope.run(write);
  } catch (error) {
    // The zone's own scope is cancelled for a removal or a manual promotion, which decide on the outcome themselves.
    const isWithdrawn = inProgress?.withdrawnBy !== undefined && !inProgress.scope.consideredCancelled;
    if (!isWithdrawn || !(isCancellation(error) || error instanceof ActivityFailure)) throw error;
    return { outcome: 'withdrawn' };
  }
}

/** Says what the zone runs, because the promotion was on its way to it. */
async function toCancelledOutcome(controller: ZoneController): Promise<PromotionOutcome> {
  const { zone } = controller.ref;
  const { running } = await controller.readZone();
  const failure = {
    reason: 'cancelled' as const,
    message: `${controller.inProgress?.withdrawnBy ?? 'A person'} cancelled the Release before it reached the gitops repo. ${running ? `${zone} still runs ${running.version}.` : `${zone} runs no Release.`}`,
    fix: 'Start a new Release when it is ready.',
    resource: `zone ${zone}`,
    at: timestamp(),
  };
  return { phase: 'Cancelled', failure };
}

export function toFailedOutcome(
  zone: string,
  failure: Pick<Failure, 'reason' | 'message' | 'fix'>,
): PromotionOutcome & { failure: Failure } {
  return { phase: 'Failed', failure: { ...failure, resource: `zone ${zone}`, at: timestamp() } };
}
