import {
  CancellationScope,
  allHandlersFinished,
  condition,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { chooseArrival } from '../../src/rules/environments/choose-arrival.ts';
import { watching } from '../activity-options.ts';
import { tell } from '../tell.ts';
import { applyZoneSettings } from './apply-zone-settings.ts';
import { askAtDoor, followDecision, isDoorStale, mayEnter } from './at-the-door.ts';
import { takeInByHand } from './by-hand.ts';
import { Keeper, type Outcome } from './keeper.ts';
import { listen } from './listen.ts';
import { type Arrival, type KeepEnvironmentInput, zoneRemoved } from './messages.ts';
import { newestOf } from './newest-of.ts';
import { promoteHere } from './promote-here.ts';

const { removeZone } = proxyActivities<Activities>(watching);

/**
 * All that happens to one zone happens here, one thing at a time.
 *
 *   arrive ─► newest of those waiting ─► no hold ─► approval (if the zone asks) ─► not frozen ─► promote ─► verified
 *                └► the others: Superseded            └► a newer one arrives: Superseded
 *   promote by hand ─► past the queue, and before what is on its way in; an older version leaves a hold
 *   applySettings ─► the values file alone
 */
export async function keepEnvironment(input: KeepEnvironmentInput): Promise<void> {
  const keeper = new Keeper(input);
  listen(keeper);
  while (!keeper.removal) {
    await untilThereIsWork(keeper);
    if (keeper.removal) break;
    await work(keeper);
    setCurrentDetails(keeper.door ? `${keeper.door.arrival.version} waits at the door` : 'Idle');
    if (workflowInfo().continueAsNewSuggested && !isBusy(keeper)) await goOnAsNew(keeper);
  }
  await takeDown(keeper);
}

const isBusy = ({ removal, decision, byHand, settings }: Keeper): boolean =>
  [removal, decision, byHand, settings].some((asked) => asked !== undefined);

async function untilThereIsWork(keeper: Keeper): Promise<void> {
  const isThere = (): boolean =>
    isBusy(keeper) ||
    keeper.cameAnew ||
    isDoorStale(keeper) ||
    mayEnter(keeper) ||
    workflowInfo().continueAsNewSuggested;
  const { freeze } = keeper;
  // Another freeze is one with another end.
  const isOver = (): boolean => isThere() || keeper.freeze !== freeze;
  if (isThere() || freeze?.until === undefined) return await condition(isOver);
  const left = Math.max(1, Date.parse(freeze.until) - Date.now());
  if (await condition(isOver, left)) return;
  keeper.freeze = undefined;
  await keeper.recordState({ freeze: null });
}

async function work(keeper: Keeper): Promise<void> {
  if (keeper.byHand) return await takeInByHand(keeper, async (arrival) => await takeIn(keeper, arrival));
  if (keeper.settings !== undefined) return await applySettings(keeper);
  if (keeper.decision) await followDecision(keeper, keeper.decision);
  if (keeper.cameAnew) await lookThrough(keeper);
  if (isDoorStale(keeper)) await askAtDoor(keeper);
  if (mayEnter(keeper) && keeper.door && !isBusy(keeper)) await takeIn(keeper, keeper.door.arrival);
}

/** Of those waiting the newest stays; what is older than it, or than what runs, has come too late. */
async function lookThrough(keeper: Keeper): Promise<void> {
  keeper.cameAnew = false;
  const { running } = await keeper.read();
  const { superseded } = chooseArrival(keeper.waiting, running);
  for (const arrival of superseded)
    if (keeper.leaveDoor(arrival.release)) await keeper.settle(arrival, { phase: 'Superseded' });
}

async function takeIn(keeper: Keeper, arrival: Arrival): Promise<void> {
  keeper.leaveDoor(arrival.release);
  keeper.newest = newestOf([keeper.newest, arrival.version]);
  const scope = new CancellationScope();
  keeper.underWay = { release: arrival.release, phase: 'Pending', scope };
  // Said while a person's choice was being written, when there was nothing to break off yet.
  if (keeper.removal) scope.cancel();
  const brokenOff = (): Outcome => ({ phase: keeper.removal ? 'Cancelled' : 'Superseded' });
  const outcome = await scope
    .run(async () => await promoteHere(keeper, arrival))
    .catch((error: unknown): Outcome => {
      if (!isCancellation(error) || !scope.consideredCancelled) throw error;
      return brokenOff();
    });
  // What is broken off on a worker that has died ends by its time-out: that says nothing about the Release.
  const isBrokenOff = scope.consideredCancelled && outcome.phase === 'Failed';
  await keeper.settle(arrival, isBrokenOff ? brokenOff() : outcome);
  keeper.underWay = undefined;
}

async function applySettings(keeper: Keeper): Promise<void> {
  const generation = keeper.settings;
  const scope = new CancellationScope();
  keeper.underWay = { phase: 'Settings', scope };
  try {
    await scope.run(async () => await applyZoneSettings(keeper, generation ?? 0));
    // Broken off by a promotion, they are applied after it; asked for anew, once more.
    if (keeper.settings === generation && !scope.consideredCancelled) keeper.settings = undefined;
  } catch (error) {
    if (!isCancellation(error) || !scope.consideredCancelled) throw error;
  } finally {
    keeper.underWay = undefined;
  }
}

async function goOnAsNew(keeper: Keeper): Promise<void> {
  // Who asks for something meanwhile waits for this loop to do it.
  await condition(() => allHandlersFinished() || isBusy(keeper));
  if (isBusy(keeper)) return;
  const { input, waiting, freeze, hold, newest, approved } = keeper;
  const { org, product, zone, pace } = input;
  await continueAsNew<typeof keepEnvironment>({
    org,
    product,
    zone,
    ...(pace ? { pace } : {}),
    ...(freeze ? { freeze } : {}),
    ...(hold ? { hold } : {}),
    ...(newest ? { newest } : {}),
    ...(approved ? { approved } : {}),
    waiting,
  });
}

async function takeDown(keeper: Keeper): Promise<void> {
  const { by = '', tell: asker, filesMayStay } = keeper.removal ?? {};
  const turnAway = async (): Promise<void> => {
    for (const arrival of keeper.waiting)
      if (keeper.leaveDoor(arrival.release)) await keeper.settle(arrival, { phase: 'Cancelled' });
    await condition(allHandlersFinished);
  };
  // Nothing is written about a zone that is gone.
  await turnAway();
  await removeZone({ ...keeper.ref, by, ...(filesMayStay ? { filesMayStay } : {}) });
  await turnAway();
  const { zone } = keeper.input;
  if (asker) await tell(asker, async (handle) => await handle.signal(zoneRemoved, { zone }));
  while (keeper.waiting.length > 0) await turnAway();
}
