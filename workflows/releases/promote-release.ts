import {
  ActivityFailure,
  type ApplicationFailure,
  CancellationScope,
  allHandlersFinished,
  condition,
  isCancellation,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { Failure } from '../../src/rules/changes/kinds.ts';
import type { ReleaseStatus, ZonePhase } from '../../src/rules/releases/kinds.ts';
import { externalApiOptions, storeOptions } from '../activity-options.ts';
import { createDecisionGuard } from '../decision-guard.ts';
import { isSameAttempt } from '../environments/is-same-attempt.ts';
import { manageZoneId, withdrawSignal } from '../environments/messages.ts';
import { requestPromotion } from '../environments/request-promotion.ts';
import { toApplicationFailure } from '../failures.ts';
import { proxyWaits } from '../proxy-waits.ts';
import { phaseAttribute } from '../start-attributes.ts';
import { signalIfRunning } from '../signal-if-running.ts';
import { startDetached } from '../start-detached.ts';
import { timestamp } from '../timestamp.ts';
import {
  type PromoteReleaseInput,
  cancelReleaseUpdate,
  promotionFinishedSignal,
  releaseProgressQuery,
  startReleaseRunsStart,
  waitForReleaseUpdate,
} from './messages.ts';
import { startReleaseRunsInline } from './start-release-runs.ts';

const { openRelease, reopenRelease, tagRelease } = proxyActivities<Activities>(externalApiOptions);
const { recordRelease } = proxyLocalActivities<Activities>(storeOptions);
// A handler and the main loop must not run local activities at once, because a replay would not repeat their order.
const { recordRelease: recordOutOfOrder } = proxyActivities<Activities>(externalApiOptions);

type OpenedRelease = Awaited<ReturnType<Activities['openRelease']>>;
type ReleasePatch = Partial<Omit<ReleaseStatus, 'zones'>>;

/** Delivers one merge commit to production: builds it once, tags it once, then promotes it zone by zone. */
export async function promoteRelease(input: PromoteReleaseInput): Promise<void> {
  const { workflowId, runId, firstExecutionRunId: releaseAttempt } = workflowInfo();
  const scope = new CancellationScope();
  const outcomes = new Map<string, ZonePhase>();
  let opened: OpenedRelease | undefined;
  let builtDigest: string | undefined;
  let openingFailure: ApplicationFailure | undefined;
  let zone: string | undefined;
  let phase: ReleaseStatus['phase'] = 'Building';
  let isFinished = false;
  let cancelledBy: string | undefined;

  setHandler(promotionFinishedSignal, (report) => {
    // Workers of earlier versions report neither the attempt nor the image.
    const isOwn = report.digest === undefined || isSameAttempt({ releaseAttempt, digest: builtDigest }, report);
    if (isOwn || !patched('release-attempts')) outcomes.set(report.zone, report.phase);
  });
  setHandler(releaseProgressQuery, () => ({ phase, zone }));
  setHandler(waitForReleaseUpdate, async () => {
    await condition(() => opened !== undefined || openingFailure !== undefined);
    if (openingFailure) throw openingFailure;
    return { release: (opened as OpenedRelease).release };
  });
  const { org, product, commit } = input;
  const assertAuthentic = createDecisionGuard({ org, product, commit }, async (refusedDecision) => {
    if (opened) await recordOutOfOrder({ org, release: opened.release, patch: { refusedDecision } });
  });
  setHandler(cancelReleaseUpdate, async (decision, proof) => {
    await assertAuthentic('cancelRelease', decision, proof);
    cancelledBy = decision.by;
    scope.cancel();
    await condition(() => isFinished);
  });

  const record = async (patch: ReleasePatch): Promise<void> => {
    phase = patch.phase ?? phase;
    if (!opened) return;
    upsertSearchAttributes([phaseAttribute(phase)]);
    setCurrentDetails(
      `**${opened.version}** of ${input.product} (${input.commit.slice(0, 12)}): ${phase}${zone ? ` in ${zone}` : ''}`,
    );
    await recordRelease({ org: input.org, release: opened.release, patch });
  };

  /** Promotes to each zone in order; the first zone that the Release does not pass ends it. */
  const promoteToZones = async ({ release, version, zones }: OpenedRelease, digest: string): Promise<void> => {
    for (const name of zones) {
      zone = name;
      const source = { release, version, commit: input.commit, digest };
      const request = { ...source, replyToWorkflowId: workflowId, releaseAttempt };
      if (!outcomes.has(name)) await requestPromotion({ ...input, zone: name }, request);
      await condition(() => outcomes.has(name));
      const outcome = outcomes.get(name) ?? 'Failed';
      if (outcome !== 'Verified') return await record(toFinalStatus(name, outcome));
    }
    await record({ phase: 'Succeeded', finishedAt: timestamp() });
  };

  try {
    await scope.run(async () => {
      const reopened = input.resume && (await reopenRelease({ org: input.org, ...input.resume }));
      for (const { name, phase: outcome } of reopened?.finishedZones ?? []) outcomes.set(name, outcome);
      opened = reopened ?? (await openRelease({ ...input, workflowId }));
      const { release, version, uid } = opened;
      builtDigest = reopened?.digest;
      if (builtDigest === undefined) {
        await record({ phase: 'Building' });
        const build = await proxyWaits().buildImage({ org: input.org, release, attempt: runId });
        if (build.outcome === 'failed') return await record(toBuildFailure(release, build));
        await record({ phase: 'Tagging', builtAt: timestamp(), digest: build.digest });
        builtDigest = build.digest;
      }
      const { url } = await tagRelease({ org: input.org, release });
      await record({ phase: 'Promoting', taggedAt: timestamp(), url });
      // The tag exists from here on, so a cancellation must not stop the runs that it triggers.
      const triggering = { org, product, release: { name: release, version, uid } };
      if (patched('release-runs')) await startDetached(startReleaseRunsStart(triggering));
      else await CancellationScope.nonCancellable(async () => await startReleaseRunsInline(triggering));
      await promoteToZones(opened, builtDigest);
    });
  } catch (error) {
    await CancellationScope.nonCancellable(async () => {
      if (isCancellation(error)) {
        if (opened && zone && !outcomes.has(zone)) {
          const withdrawal = { release: opened.release, by: cancelledBy ?? input.startedBy };
          await withdrawFromZone({ ...input, zone }, withdrawal);
        }
        // Its production runs the Release, which a cancellation during the last record cannot take back.
        const isDelivered = zone !== undefined && opened?.zones.every((name) => outcomes.get(name) === 'Verified');
        await record({ phase: isDelivered ? 'Succeeded' : 'Cancelled', finishedAt: timestamp() });
      } else if (opened && error instanceof ActivityFailure) await record(toActivityFailure(opened.release, error));
      else if (opened) throw error;
      else openingFailure = toApplicationFailure(error);
    });
  }
  isFinished = true;
  await condition(allHandlersFinished);
  if (openingFailure) throw openingFailure;
}

const toFailedStatus = (failure: Omit<Failure, 'at'>): ReleasePatch => ({
  phase: 'Failed',
  finishedAt: timestamp(),
  failure: { ...failure, at: timestamp() },
});

const toBuildFailure = (
  release: string,
  { reason: message, fix = 'Fix the build in a new Change.' }: { reason: string; fix?: string },
): ReleasePatch => toFailedStatus({ reason: 'build-failed', message, resource: `build of ${release}`, fix });

const toActivityFailure = (release: string, error: ActivityFailure): ReleasePatch =>
  toFailedStatus({
    reason: 'activity-failed',
    message: toApplicationFailure(error).message,
    resource: `Release ${release}`,
    fix: 'Fix the error above, then start a Release of the commit again.',
  });

/** Returns the status of a Release that did not pass a zone; the zone's own entry has the details. */
function toFinalStatus(zone: string, outcome: ZonePhase): ReleasePatch {
  if (outcome === 'Superseded') return { phase: 'Superseded', finishedAt: timestamp() };
  if (outcome === 'Cancelled') return { phase: 'Cancelled', finishedAt: timestamp() };
  const isRejected = outcome === 'Rejected';
  return toFailedStatus({
    reason: isRejected ? 'rejected' : 'promotion-failed',
    message: `The promotion to ${zone} ${isRejected ? 'was rejected' : 'failed'}.`,
    resource: `zone ${zone}`,
    fix: `See the zone ${zone} of this Release for the cause and the fix.`,
  });
}

async function withdrawFromZone(
  zone: { org: string; product: string; zone: string },
  withdrawal: { release: string; by: string },
): Promise<void> {
  const workflowId = manageZoneId(zone);
  await signalIfRunning(workflowId, async (handle) => await handle.signal(withdrawSignal, withdrawal));
}
