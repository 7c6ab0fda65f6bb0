import { describe, expect, it } from 'vitest';
import { ZoneController } from '../../../workflows/environments/zone-controller.ts';
import { buildPromotionRequest } from '../../support/workflows/zone-fixture.ts';

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
