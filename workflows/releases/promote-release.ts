import {
  ActivityFailure,
  ApplicationFailure,
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
import type { ReleaseStatus, ZonePhase } from '../../src/rules/releases/kinds.ts';
import { outside, store, watching } from '../activity-options.ts';
import { reasonOf } from '../reason-of.ts';
import { bringToZone } from '../environments/bring-to-zone.ts';
import { keepEnvironmentId, withdraw } from '../environments/messages.ts';
import { phaseAttribute } from '../search-attributes.ts';
import { tell } from '../tell.ts';
import { startCutRuns } from './start-cut-runs.ts';
import { type PromoteReleaseInput, cancelRelease, releaseOpened, releaseProgress, zoneSettled } from './messages.ts';

const { openRelease, tagRelease } = proxyActivities<Activities>(outside);
const { buildImage } = proxyActivities<Activities>(watching);
const { recordRelease } = proxyLocalActivities<Activities>(store);

type Opened = Awaited<ReturnType<Activities['openRelease']>>;
const timestamp = (): string => new Date().toISOString();

/** Takes one merge commit to production: built once, tagged once, then zone by zone through each zone's keeper. */
export async function promoteRelease(input: PromoteReleaseInput): Promise<void> {
  const { workflowId, runId } = workflowInfo();
  const scope = new CancellationScope();
  const settled = new Map<string, ZonePhase>();
  let opened: Opened | undefined;
  let openingFailure: ApplicationFailure | undefined;
  let zone: string | undefined;
  let phase: ReleaseStatus['phase'] = 'Building';
  let ended = false;

  setHandler(zoneSettled, ({ zone: name, phase: outcome }) => void settled.set(name, outcome));
  setHandler(releaseProgress, () => ({ phase, zone }));
  setHandler(releaseOpened, async () => {
    await condition(() => opened !== undefined || openingFailure !== undefined);
    if (openingFailure) throw openingFailure;
    return { release: (opened as Opened).release };
  });
  setHandler(cancelRelease, async () => {
    scope.cancel();
    await condition(() => ended);
  });

  const record = async (patch: Partial<Omit<ReleaseStatus, 'zones'>>): Promise<void> => {
    phase = patch.phase ?? phase;
    if (!opened) return;
    upsertSearchAttributes([phaseAttribute(phase)]);
    setCurrentDetails(
      `**${opened.version}** of ${input.product} (${input.commit.slice(0, 12)}): ${phase}${zone ? ` in ${zone}` : ''}`,
    );
    await recordRelease({ org: input.org, release: opened.release, patch });
  };

  try {
    await scope.run(async () => {
      opened = await openRelease({ ...input, workflowId });
      const { release, version, zones } = opened;
      await record({ phase: 'Building' });
      const build = await buildImage({ org: input.org, release, attempt: runId });
      if (build.outcome === 'failed')
        return await record(failed(build.reason, `build of ${release}`, 'Mend the build in a new Change.'));
      await record({ phase: 'Tagging', builtAt: timestamp(), digest: build.digest });
      const { url } = await tagRelease({ org: input.org, release });
      await record({ phase: 'Promoting', taggedAt: timestamp(), url });
      // Whoever cancels the Release from here on does not take its tag back, nor what the tag starts.
      if (patched('release-cut'))
        await CancellationScope.nonCancellable(
          async () => await startCutRuns({ ...input, release: { name: release, version } }),
        );

      for (const name of zones) {
        zone = name;
        if (!settled.has(name))
          await bringToZone({
            ...input,
            zone: name,
            arrival: { release, version, commit: input.commit, digest: build.digest, tell: workflowId },
          });
        await condition(() => settled.has(name));
        const outcome = settled.get(name) ?? 'Failed';
        if (outcome !== 'Verified') return await record(endedIn(name, outcome));
      }
      await record({ phase: 'Succeeded', finishedAt: timestamp() });
    });
  } catch (error) {
    await CancellationScope.nonCancellable(async () => {
      if (isCancellation(error)) {
        if (opened && zone && !settled.has(zone)) await withdrawFrom(input, zone, opened.release);
        await record({ phase: 'Cancelled', finishedAt: timestamp() });
      } else if (opened && error instanceof ActivityFailure) {
        await record(
          failed(
            reasonOf(error).message,
            `Release ${opened.release}`,
            'Mend what it names, then start a Release of the commit again.',
          ),
        );
      } else if (opened) throw error;
      else openingFailure = reasonOf(error);
    });
  }
  ended = true;
  await condition(allHandlersFinished);
  if (openingFailure) throw openingFailure;
}

function failed(reason: string, resource: string, fix: string): Partial<ReleaseStatus> {
  return { phase: 'Failed', finishedAt: timestamp(), failure: { reason, resource, fix, at: timestamp() } };
}

/** What becomes of a Release that did not get through a zone; the zone's own entry says why. */
function endedIn(zone: string, outcome: ZonePhase): Partial<ReleaseStatus> {
  if (outcome === 'Superseded') return { phase: 'Superseded', finishedAt: timestamp() };
  if (outcome === 'Cancelled') return { phase: 'Cancelled', finishedAt: timestamp() };
  const reason = outcome === 'Rejected' ? `The promotion to ${zone} was rejected.` : `The promotion to ${zone} failed.`;
  return failed(reason, `zone ${zone}`, `See the zone ${zone} of this Release for what to do.`);
}

async function withdrawFrom(input: PromoteReleaseInput, zone: string, release: string): Promise<void> {
  const keeper = keepEnvironmentId({ ...input, zone });
  await tell(keeper, async (handle) => await handle.signal(withdraw, { release, by: input.startedBy }));
}
