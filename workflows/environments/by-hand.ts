import { compareVersions } from '../../src/rules/releases/next-version.ts';
import type { Keeper } from './keeper.ts';
import type { Arrival } from './messages.ts';
import { newestOf } from './newest-of.ts';
import { timestamp } from './promote-here.ts';

/** Brings in what a person chose; a version older than the newest known here leaves a hold, so that it stays. */
export async function takeInByHand(keeper: Keeper, takeIn: (arrival: Arrival) => Promise<void>): Promise<void> {
  const { byHand } = keeper;
  if (!byHand) return;
  const { arrival, by, role, note } = byHand;
  const { running } = await keeper.read();
  // Also one that never got healthy here: it is what is rolled back most.
  const waiting = keeper.waiting.map(({ version }) => version);
  const newest = newestOf([running?.version, keeper.newest, keeper.hold?.newest, ...waiting]);
  const isOlder = newest !== undefined && compareVersions(arrival.version, newest) < 0;
  keeper.hold = isOlder ? { version: arrival.version, newest, by, since: timestamp() } : undefined;
  await keeper.recordState({ hold: keeper.hold ?? null });
  const decision = { by, role, outcome: 'approved' as const, commit: arrival.commit, at: timestamp() };
  await keeper.record(arrival, {
    phase: 'Pending',
    decision: { ...decision, ...(note ? { note } : {}) },
    waitingFor: null,
    failure: null,
    verifiedAt: null,
  });
  keeper.byHand = undefined;
  await takeIn(arrival);
  // What waited is too late now where it is older than what was brought in; else it is shown at the door again.
  keeper.cameAnew ||= keeper.waiting.length > 0;
  keeper.door = undefined;
}
