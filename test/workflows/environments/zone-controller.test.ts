import { describe, expect, it } from 'vitest';
import { ZoneController } from '../../../workflows/environments/zone-controller.ts';
import {
  applySettingsSignal,
  enqueueSignal,
  manageZoneStart,
  removeZoneSignal,
} from '../../../workflows/environments/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { shortTaskTimeout, waitUntilSignalSeen } from '../../support/workflows/wait-until-processed.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { ZoneFixture, buildPromotionRequest } from '../../support/workflows/zone-fixture.ts';

const ref = { org: 'acme', product: 'hello', zone: 'hello-rc' };
const request = { ...buildPromotionRequest('v0.1.0'), attempt: { id: 'a1' } };

describe('ZoneController', () => {
  it('restores its state from the input, with default intervals', () => {
    const since = '2026-01-01T00:00:00.000Z';
    const restored = {
      queue: [request],
      approvedRelease: request.release,
      freeze: { by: 'ada', since, reason: 'Holidays' },
      hold: { version: 'v0.1.0', newestVersion: 'v0.2.0', by: 'bob', since },
      newestVersion: 'v0.2.0',
      settingsGeneration: 3,
      removal: { by: 'ada' },
    };
    const controller = new ZoneController({ ...ref, ...restored, intervals: { smokeCheckIntervalMs: 5 } });
    expect(controller).toMatchObject({ ref, ...restored, hasNewRequests: true });
    expect(controller.intervals).toEqual({ healthyTimeoutMs: 600_000, smokeCheckIntervalMs: 5 });
    expect(new ZoneController(ref).hasNewRequests).toBe(false);
  });

  it('removes a dequeued Release together with its candidate and its approval', () => {
    const controller = new ZoneController({ ...ref, queue: [request], approvedRelease: request.release });
    controller.candidate = { request, requiresApproval: true, recordedBlocker: 'freeze' };
    expect(controller.dequeue('hello-v0.9.0')).toBeUndefined();
    expect(controller.queue).toEqual([request]);
    expect(controller.dequeue(request.release)).toBe(request);
    expect(controller).toMatchObject({ queue: [], candidate: undefined, approvedRelease: undefined });
  });

  it.each([
    ['approval', false, request.release],
    ['approval', true, undefined],
    ['freeze', false, undefined],
  ] as const)('awaits approval for the blocker %s, decided: %s', (recordedBlocker, isDecided, expected) => {
    const controller = new ZoneController({ ...ref, queue: [request] });
    controller.candidate = { request, requiresApproval: true, recordedBlocker };
    if (isDecided)
      controller.pendingDecision = { release: request.release, by: 'bob', role: 'member', outcome: 'approved' };
    expect(controller.releaseAwaitingApproval).toBe(expected);
  });
});

describeWithTemporal('ZoneController', () => {
  it.each([
    ['a promotion', 'Deploying'],
    ['settings', 'Applying'],
  ])('finishes a write about %s that the store refused at first, although a removal cancels it', async (_, phase) => {
    const zone = new ZoneFixture();
    const { recordPromotion, recordZoneState } = zone.activities;
    const writes: string[] = [];
    let isStoreAway = true;
    let refusals = 0;
    const write = async (name: string | null | undefined, run: () => Promise<void> | undefined): Promise<void> => {
      if (name === phase && isStoreAway) {
        refusals += 1;
        throw new Error('The store is away.');
      }
      await run();
      if (name) writes.push(name);
    };
    zone.activities.recordPromotion = async (input) => await write(input.patch.phase, () => recordPromotion?.(input));
    zone.activities.recordZoneState = async (input) =>
      await write(input.patch.settings?.phase, () => recordZoneState?.(input));
    await withWorkflowHarness(zone.activities, async (harness) => {
      const { type, options } = manageZoneStart({ org: harness.taskQueue, product: 'hello', zone: 'hello-rc' });
      const withShortTasks = Object.assign(options, { workflowTaskTimeout: shortTaskTimeout });
      const handle = await harness.start({ type, options: withShortTasks });
      if (phase === 'Applying') await handle.signal(applySettingsSignal, { generation: 2 });
      else await handle.signal(enqueueSignal, request);
      await eventually(() => refusals).toBeGreaterThan(0);
      await handle.signal(removeZoneSignal, { by: 'ada' });
      await waitUntilSignalSeen(handle, 2);
      isStoreAway = false;
      await handle.result();
      expect(writes).toContain(phase);
    });
  });
});
