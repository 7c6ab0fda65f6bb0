import { condition, patched } from '@temporalio/workflow';
import type { WaitingFor } from '../../src/rules/changes/kinds.ts';
import type { FreezeStatus } from '../../src/rules/environments/zone-state.ts';
import { timestamp } from '../timestamp.ts';
import type { ZoneController } from './zone-controller.ts';

export const describeFreeze = (zone: string, { by, reason }: FreezeStatus): string =>
  `unfreeze ${zone}: ${by} froze it: ${reason}`;

/** Returns when there is work or the freeze has changed; lifts a freeze that expires meanwhile. */
export async function waitAndLiftFreeze(controller: ZoneController, hasWork: () => boolean): Promise<void> {
  const { freeze } = controller;
  // A replaced freeze has another expiry, so the wait begins again.
  const isDone = (): boolean => hasWork() || controller.freeze !== freeze;
  if (hasWork() || freeze?.until === undefined) return await condition(isDone);
  const msUntilExpiry = Math.max(1, Date.parse(freeze.until) - Date.now());
  if (await condition(isDone, msUntilExpiry)) return;
  controller.freeze = undefined;
  await controller.recordZoneState({ freeze: null });
}

/** Waits while the zone is frozen and shows the freeze; returns whether there was one. */
export async function waitUntilUnfrozen(
  controller: ZoneController,
  show: (waitingFor: WaitingFor | null) => Promise<void>,
): Promise<boolean> {
  if (!controller.freeze || !patched('freeze-before-merge')) return false;
  const since = timestamp();
  while (controller.freeze) {
    const { freeze } = controller;
    await show({ role: 'member', since, message: describeFreeze(controller.input.zone, freeze) });
    await waitAndLiftFreeze(controller, () => controller.freeze !== freeze);
    if (!controller.freeze) await show(null);
  }
  return true;
}
