import { ApplicationFailure, condition, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import type { Keeper } from './keeper.ts';
import {
  type Arrival,
  type PromotionByHand,
  type PromotionDecision,
  applySettings,
  approvePromotion,
  arrive,
  environmentProgress,
  freeze,
  promote,
  rejectPromotion,
  remove,
  unfreeze,
  withdraw,
} from './messages.ts';

const refused = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, 'conflict');

const goingAway = ({ input }: Keeper): ApplicationFailure => refused(`The zone "${input.zone}" is being removed.`);

/** Handlers note what was said, and answer once it stands in the store. */
export function listen(keeper: Keeper): void {
  setHandler(environmentProgress, () => ({
    release: keeper.underWay?.release ?? keeper.door?.arrival.release,
    phase: keeper.underWay?.phase ?? (keeper.door ? 'Pending' : 'Idle'),
    waiting: keeper.waiting.filter((arrival) => arrival !== keeper.door?.arrival).map(({ release }) => release),
  }));
  listenToSignals(keeper);
  listenToDecisions(keeper);
  listenToHands(keeper);

  const going = (_asked: unknown): void => {
    if (keeper.removal) throw goingAway(keeper);
  };
  setHandler(
    freeze,
    async (frozen) => {
      keeper.freeze = frozen;
      await keeper.recordState({ freeze: frozen });
    },
    { validator: going },
  );
  setHandler(
    unfreeze,
    async () => {
      keeper.freeze = undefined;
      await keeper.recordState({ freeze: null });
    },
    { validator: going },
  );
}

/**
 * One handler for all: those that came before the first task are handed over in the order in which they came only
 * where there is no handler of their own, and a Release that comes and is withdrawn is not one that comes back.
 */
function listenToSignals(keeper: Keeper): void {
  const handlers: Record<string, (told: never) => void | Promise<void>> = {
    [arrive.name]: (arrival: Arrival) => {
      const { waiting, underWay } = keeper;
      if ([...waiting, underWay].some((known) => known?.release === arrival.release)) return;
      waiting.push(arrival);
      keeper.cameAnew = true;
    },
    [withdraw.name]: async ({ release }: { release: string }) => {
      const leaving = keeper.leaveDoor(release);
      if (leaving) await keeper.settle(leaving, { phase: 'Cancelled' });
    },
    [remove.name]: (removal: Keeper['removal']) => {
      keeper.removal = removal;
      keeper.underWay?.scope.cancel();
    },
    [applySettings.name]: ({ generation }: { generation: number }) => {
      keeper.settings = Math.max(generation, keeper.settings ?? 0);
    },
  };
  setDefaultSignalHandler(async (name, told) => await handlers[name]?.(told as never));
}

function listenToDecisions(keeper: Keeper): void {
  const asked = ({ release }: PromotionDecision): void => {
    if (keeper.asking !== release)
      throw refused(`The Release "${release}" does not wait for approval in zone "${keeper.input.zone}".`);
  };
  const decide = (outcome: 'approved' | 'rejected') => async (decision: PromotionDecision) => {
    const decided = { ...decision, outcome };
    keeper.decision = decided;
    await condition(() => keeper.decision !== decided || keeper.removal !== undefined);
    if (keeper.decision !== decided) return;
    keeper.decision = undefined;
    throw goingAway(keeper);
  };
  setHandler(approvePromotion, decide('approved'), { validator: asked });
  setHandler(rejectPromotion, decide('rejected'), { validator: asked });
}

function listenToHands(keeper: Keeper): void {
  const { zone } = keeper.input;
  const possible = ({ arrival: { release, version }, despiteFreeze }: PromotionByHand): void => {
    if (keeper.removal) throw goingAway(keeper);
    if (keeper.byHand)
      throw refused(`Somebody else is promoting ${keeper.byHand.arrival.version} to "${zone}" just now.`);
    if (keeper.underWay?.release === release)
      throw refused(`${version} is on its way into the zone "${zone}" already.`);
    if (keeper.freeze && !despiteFreeze)
      throw refused(
        `${keeper.freeze.by} froze the zone "${zone}": ${keeper.freeze.reason} Unfreeze it, or say despiteFreeze: true.`,
      );
  };
  setHandler(
    promote,
    async (order) => {
      keeper.byHand = order;
      // Whatever is on its way in makes way.
      keeper.underWay?.scope.cancel();
      await condition(() => keeper.byHand !== order || keeper.removal !== undefined);
      if (keeper.byHand !== order) return;
      keeper.byHand = undefined;
      throw goingAway(keeper);
    },
    { validator: possible },
  );
}
