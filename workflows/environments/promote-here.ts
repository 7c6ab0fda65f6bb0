import {
  ActivityFailure,
  ApplicationFailure,
  condition,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { ReleaseZone } from '../../src/rules/releases/kinds.ts';
import { compareVersions } from '../../src/rules/releases/next-version.ts';
import type { ZonePatch } from '../../src/rules/releases/release-status.ts';
import { outside, store, watching } from '../activity-options.ts';
import type { Keeper } from './keep-environment.ts';
import type { Arrival, EnvironmentPace } from './messages.ts';
import { beginScreenshot } from './take-screenshot.ts';

const { readZone } = proxyLocalActivities<Activities>(store);
const { promoteInGitops } = proxyActivities<Activities>(outside);
const { awaitHealthy, smokeCheck } = proxyActivities<Activities>(watching);

const usualPace: EnvironmentPace = { healthyWithinMs: 10 * 60_000, smokeCheckEveryMs: 1_000 };

type Settled = ZonePatch & { phase: ReleaseZone['phase'] };
const timestamp = (): string => new Date().toISOString();

/** Brings one Release into the zone; the answer says how it ended. */
export async function promoteHere(
  keeper: Keeper,
  arrival: Arrival,
  record: (patch: ZonePatch) => Promise<void>,
): Promise<Settled> {
  const { org, product, zone } = keeper.input;
  const here = { org, product, zone, release: arrival.release };
  const pace = { ...usualPace, ...keeper.input.pace };
  const { asksApproval } = await keeper.inOrder(async () => await readZone(keeper.input));
  const refusal = asksApproval ? await askApproval(keeper, arrival, record) : undefined;
  if (refusal) return refusal;
  if (keeper.withdrawn.has(arrival.release)) return { phase: 'Cancelled' };

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
    if (!(error instanceof ActivityFailure)) throw error;
    const cause = error.cause instanceof ApplicationFailure ? error.cause.message : error.message;
    return failed(zone, cause, 'Mend what it names, then start the Release again.');
  }
}

function failed(zone: string, reason: string, fix: string): Settled {
  return { phase: 'Failed', failure: { reason, resource: `zone ${zone}`, fix, at: timestamp() } };
}

/** Comes back with nothing once a person has approved, else with how the waiting ended. */
async function askApproval(
  keeper: Keeper,
  arrival: Arrival,
  record: (patch: ZonePatch) => Promise<void>,
): Promise<Settled | undefined> {
  const { release } = arrival;
  const waitingFor = {
    role: 'member',
    since: timestamp(),
    what: `approve ${arrival.version} for ${keeper.input.zone}`,
  };
  await record({ phase: 'WaitingForApproval', waitingFor });
  keeper.asking = release;
  const isOvertaken = (): boolean =>
    keeper.waiting.some(({ version }) => compareVersions(version, arrival.version) > 0);
  await condition(
    () =>
      keeper.decision !== undefined || isOvertaken() || keeper.withdrawn.has(release) || keeper.removal !== undefined,
  );
  keeper.asking = undefined;
  if (keeper.decision) return await followDecision(keeper, keeper.decision, record);
  if (keeper.withdrawn.has(release) || keeper.removal) return { phase: 'Cancelled' };
  return { phase: 'Superseded' };
}

async function followDecision(
  keeper: Keeper,
  { outcome, by, role, note }: NonNullable<Keeper['decision']>,
  record: (patch: ZonePatch) => Promise<void>,
): Promise<Settled | undefined> {
  const decision = { by, role, outcome, at: timestamp(), ...(note ? { note } : {}) };
  const { zone } = keeper.input;
  const rejection = {
    ...failed(zone, `${by} rejected it${note ? `: ${note}` : '.'}`, 'Start a new Release when it is ready.'),
    phase: 'Rejected' as const,
  };
  await record({
    decision,
    waitingFor: null,
    ...(outcome === 'rejected' ? rejection : { phase: 'Promoting' as const }),
  });
  keeper.decision = undefined;
  return outcome === 'rejected' ? rejection : undefined;
}
