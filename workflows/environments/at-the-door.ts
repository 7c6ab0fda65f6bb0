import type { ReleaseZone } from '../../src/rules/releases/kinds.ts';
import { compareVersions } from '../../src/rules/releases/next-version.ts';
import type { Keeper } from './keeper.ts';
import type { Arrival } from './messages.ts';
import { failed, timestamp } from './promote-here.ts';

/** What a Release at the door waits for, in the order in which it is asked; nothing where it may come in. */
type Need = 'hold' | 'approval' | 'freeze';

function needOf(keeper: Keeper): Need | undefined {
  const { door, hold, freeze, approved } = keeper;
  if (!door) return undefined;
  if (hold) return 'hold';
  if (door.asksApproval && approved !== door.arrival.release) return 'approval';
  return freeze ? 'freeze' : undefined;
}

const newestAt = ({ waiting }: Keeper): Arrival | undefined =>
  waiting.toSorted((left, right) => compareVersions(right.version, left.version))[0];

/** Whether the Release at the door may come in. */
export const mayEnter = (keeper: Keeper): boolean =>
  keeper.door !== undefined && keeper.door.arrival === newestAt(keeper) && needOf(keeper) === undefined;

/** Whether another Release stands at the door, or the same one waits for something else. */
export const isDoorStale = (keeper: Keeper): boolean =>
  keeper.door?.arrival !== newestAt(keeper) || (keeper.door?.shown ?? '') !== (needOf(keeper) ?? '');

/** Asks what the newest of the waiting needs, and shows it. */
export async function askAtDoor(keeper: Keeper): Promise<void> {
  const newest = newestAt(keeper);
  if (!newest) return void (keeper.door = undefined);
  // What stood still for long may have to be approved by now.
  const stoodStill = keeper.door?.shown === 'hold' || keeper.door?.shown === 'freeze';
  if (keeper.door?.arrival !== newest || stoodStill) {
    const { asksApproval } = await keeper.read();
    // Withdrawn meanwhile.
    if (!keeper.waiting.includes(newest)) return;
    keeper.door = { arrival: newest, asksApproval, shown: '' };
  }
  const need = needOf(keeper);
  keeper.door.shown = need ?? '';
  if (!need) return;
  const phase = need === 'approval' ? 'WaitingForApproval' : 'Pending';
  await keeper.record(newest, {
    phase,
    waitingFor: { role: 'member', since: timestamp(), what: whatFor(keeper, newest) },
  });
}

function whatFor(keeper: Keeper, { version }: Arrival): string {
  const { hold, freeze, input } = keeper;
  const need = needOf(keeper);
  if (need === 'hold')
    return `promote ${version} to ${input.zone} by hand: ${hold?.by} brought ${hold?.version} back, which holds newer ones`;
  if (need === 'freeze') return `unfreeze ${input.zone}: ${freeze?.by} froze it: ${freeze?.reason}`;
  return `approve ${version} for ${input.zone}`;
}

/** Writes a person's decision; a Release that was approved may still be held up by a freeze. */
export async function followDecision(
  keeper: Keeper,
  { release, outcome, by, role, note }: NonNullable<Keeper['decision']>,
): Promise<void> {
  const arrival = keeper.waiting.find((waiting) => waiting.release === release);
  if (arrival) {
    const decision: ReleaseZone['decision'] = {
      by,
      role,
      outcome,
      commit: arrival.commit,
      at: timestamp(),
      ...(note ? { note } : {}),
    };
    if (outcome === 'approved') {
      keeper.approved = release;
      const phase = keeper.freeze ? 'Pending' : 'Promoting';
      await keeper.record(arrival, { decision, waitingFor: null, phase });
    } else {
      const why = `${by} rejected it${note ? `: ${note}` : '.'}`;
      const rejection = {
        ...failed(keeper.input.zone, why, 'Start a new Release when it is ready.'),
        phase: 'Rejected' as const,
      };
      await keeper.record(arrival, { decision, waitingFor: null, ...rejection });
      if (keeper.leaveDoor(release)) await keeper.settle(arrival, rejection);
    }
  }
  keeper.decision = undefined;
}
