import {
  ApplicationFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { chooseArrival } from '../../src/rules/environments/choose-arrival.ts';
import type { ZonePatch } from '../../src/rules/releases/release-status.ts';
import { outside, store } from '../activity-options.ts';
import { inOrder } from '../in-order.ts';
import { zoneSettled } from '../releases/messages.ts';
import { tell } from '../tell.ts';
import {
  type Arrival,
  type KeepEnvironmentInput,
  type PromotionDecision,
  approvePromotion,
  arrive,
  environmentProgress,
  rejectPromotion,
  remove,
  withdraw,
  zoneRemoved,
} from './messages.ts';
import { promoteHere } from './promote-here.ts';

const { readZone, recordZone } = proxyLocalActivities<Activities>(store);
const { removeZone } = proxyActivities<Activities>(outside);

/** What the keeper knows between messages; handlers write it, the loop acts on it. */
export type Keeper = {
  input: KeepEnvironmentInput;
  waiting: Arrival[];
  /** The Release that waits for a person's approval, until it is decided. */
  asking: string | undefined;
  decision: (PromotionDecision & { outcome: 'approved' | 'rejected' }) | undefined;
  withdrawn: Set<string>;
  removal: { by: string; tell: string } | undefined;
  inOrder: ReturnType<typeof inOrder>;
};

/**
 * All that happens to one zone happens here, one thing at a time.
 *
 *   arrive ─► newest of those waiting ─► approval (if the zone asks) ─► promote ─► healthy ─► verified
 *                └► the others: Superseded        └► a newer one arrives: Superseded
 */
export async function keepEnvironment(input: KeepEnvironmentInput): Promise<void> {
  const keeper: Keeper = {
    input,
    waiting: [...(input.waiting ?? [])],
    asking: undefined,
    decision: undefined,
    withdrawn: new Set(),
    removal: undefined,
    inOrder: inOrder(),
  };
  let current: { arrival: Arrival; phase: string } | undefined;
  setHandler(environmentProgress, () => ({
    release: current?.arrival.release,
    phase: current?.phase ?? 'Idle',
    waiting: keeper.waiting.map(({ release }) => release),
  }));
  const record = async (arrival: Arrival, patch: ZonePatch): Promise<void> => {
    if (current?.arrival === arrival && patch.phase) current.phase = patch.phase;
    setCurrentDetails(current ? `${current.phase}: **${current.arrival.version}**` : 'Idle');
    const { org, product, zone } = input;
    await keeper.inOrder(async () => await recordZone({ org, product, zone, release: arrival.release, patch }));
  };
  const settle = async (
    arrival: Arrival,
    patch: ZonePatch & { phase: NonNullable<ZonePatch['phase']> },
  ): Promise<void> => {
    await record(arrival, { ...patch, waitingFor: null });
    await tell(
      arrival.tell,
      async (handle) => await handle.signal(zoneSettled, { zone: input.zone, phase: patch.phase }),
    );
  };
  listen(keeper, (release) => current?.arrival.release === release, settle);

  while (!keeper.removal) {
    await condition(
      () => keeper.waiting.length > 0 || keeper.removal !== undefined || workflowInfo().continueAsNewSuggested,
    );
    if (keeper.removal) break;
    const { running } = await keeper.inOrder(async () => await readZone(input));
    const { take, superseded } = chooseArrival(keeper.waiting, running);
    keeper.waiting = keeper.waiting.filter((arrival) => arrival !== take && !superseded.includes(arrival));
    // Before anything is awaited: it is not among the waiting any more, and messages about it must find it.
    current = take && { arrival: take, phase: 'Pending' };
    for (const arrival of superseded) await settle(arrival, { phase: 'Superseded' });
    if (take) {
      const outcome = await promoteHere(keeper, take, async (patch) => await record(take, patch));
      await settle(take, outcome);
      keeper.withdrawn.delete(take.release);
      current = undefined;
    }
    if (!workflowInfo().continueAsNewSuggested) continue;
    await condition(allHandlersFinished);
    if (!keeper.removal) await continueAsNew<typeof keepEnvironment>({ ...input, waiting: keeper.waiting });
  }

  const { tell: asker } = keeper.removal;
  for (const arrival of keeper.waiting) await settle(arrival, { phase: 'Cancelled' });
  await removeZone(input);
  await tell(asker, async (handle) => await handle.signal(zoneRemoved, { zone: input.zone }));
  await condition(allHandlersFinished);
}

function listen(
  keeper: Keeper,
  isCurrent: (release: string) => boolean,
  settle: (arrival: Arrival, outcome: { phase: 'Cancelled' }) => Promise<void>,
): void {
  setHandler(arrive, (arrival) => {
    const known = keeper.waiting.some(({ release }) => release === arrival.release) || isCurrent(arrival.release);
    if (!known) keeper.waiting.push(arrival);
  });
  setHandler(withdraw, async ({ release }) => {
    // What nobody knows here must not be remembered: the same Release may be started again.
    if (isCurrent(release)) keeper.withdrawn.add(release);
    const leaving = keeper.waiting.filter((arrival) => arrival.release === release);
    keeper.waiting = keeper.waiting.filter((arrival) => arrival.release !== release);
    for (const arrival of leaving) await settle(arrival, { phase: 'Cancelled' });
  });
  setHandler(remove, (removal) => void (keeper.removal = removal));
  const asked = ({ release }: PromotionDecision): void => {
    if (keeper.asking !== release)
      throw ApplicationFailure.nonRetryable(
        `The Release "${release}" does not wait for approval in zone "${keeper.input.zone}".`,
        'conflict',
      );
  };
  const decide = (outcome: 'approved' | 'rejected') => async (decision: PromotionDecision) => {
    keeper.decision = { ...decision, outcome };
    keeper.asking = undefined;
    // Answered once the loop has written the decision to the store.
    await condition(() => keeper.decision === undefined);
  };
  setHandler(approvePromotion, decide('approved'), { validator: asked });
  setHandler(rejectPromotion, decide('rejected'), { validator: asked });
}
