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
const request = buildPromotionRequest('v0.1.0');

describe('ZoneController', () => {
  it('restores its state from the input, with default intervals', () => {
    const hold = { version: 'v0.1.0', newestVersion: 'v0.2.0', by: 'bob', since: '2026-01-01T00:00:00.000Z' };
    const controller = new ZoneController({ ...ref, queue: [request], hold, intervals: { smokeCheckIntervalMs: 5 } });
    expect(controller).toMatchObject({ ref, queue: [request], hold, hasNewRequests: true });
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
  it.each(['a promotion', 'settings'])(
    'ends a write about %s before the next one, when a removal cancels it',
    async (subject) => {
      const zone = new ZoneFixture();
      const { recordPromotion, recordZoneState } = zone.activities;
      const held = Promise.withResolvers<void>();
      const writes: string[] = [];
      const write = async (name: string, run: () => Promise<void> | undefined): Promise<void> => {
        writes.push(`begin ${name}`);
        if (name === 'Deploying' || name === 'Applying') await held.promise;
        await run();
        writes.push(`end ${name}`);
      };
      zone.activities.recordPromotion = async (input) =>
        await write(input.patch.phase ?? 'other', () => recordPromotion?.(input));
      zone.activities.recordZoneState = async (input) =>
        await write(input.patch.settings?.phase ?? 'other', () => recordZoneState?.(input));
      await withWorkflowHarness(zone.activities, async (harness) => {
        const { type, options } = manageZoneStart({ org: harness.taskQueue, product: 'hello', zone: 'hello-rc' });
        const handle = await harness.start({
          type,
          options: Object.assign(options, { workflowTaskTimeout: shortTaskTimeout }),
        });
        if (subject === 'settings') await handle.signal(applySettingsSignal, { generation: 2 });
        else await handle.signal(enqueueSignal, request);
        const last = subject === 'settings' ? 'Applying' : 'Deploying';
        await eventually(() => writes.at(-1)).toBe(`begin ${last}`);
        await handle.signal(removeZoneSignal, { by: 'ada' });
        await waitUntilSignalSeen(handle);
        expect(writes.at(-1)).toBe(`begin ${last}`);
        held.resolve();
        await handle.result();
        expect(writes[writes.indexOf(`begin ${last}`) + 1]).toBe(`end ${last}`);
        expect(writes.filter((one) => one === `begin ${last}`)).toHaveLength(1);
      });
    },
  );
});
