import { describe, expect, expectTypeOf, it } from 'vitest';
import { signalZone, updateZone } from '../../../src/reconcile/zone-workflow.ts';
import {
  applySettingsSignal,
  manageZoneStart,
  takeScreenshotStart,
  unfreezeZoneUpdate,
} from '../../../workflows/environments/messages.ts';
import type { manageZone, takeScreenshot } from '../../../workflows/index.ts';
import { captureStarts } from '../../support/workflows/capture-starts.ts';
import { describeStart } from '../../support/workflows/describe-start.ts';

const zone = { org: 'acme', product: 'hello', zone: 'hello-prod' };

describe('manageZoneStart', () => {
  it('describes the workflow of a zone', () => {
    expect(describeStart(manageZoneStart(zone))).toEqual({
      type: 'manageZone',
      workflowId: 'manage-zone/acme/hello/hello-prod',
      conflictPolicy: 'USE_EXISTING',
      reusePolicy: 'ALLOW_DUPLICATE',
      attributes: { org: 'acme', product: 'hello', targetKind: 'zone' },
      summary: 'Zone hello-prod of hello',
      details: 'Org **acme**, Product **hello**.',
    });
  });

  it('is what an update and a signal of the API start', async () => {
    const { type, options } = manageZoneStart(zone);
    const { temporal, starts } = captureStarts();
    await updateZone({ temporal }, zone, { update: unfreezeZoneUpdate, args: [{ by: 'ada' }] });
    await signalZone({ temporal }, zone, { signal: applySettingsSignal, arg: { generation: 2 } });
    expect(starts).toEqual([
      { type, options },
      { type, options },
    ]);
  });

  it('carries the signature of its workflow', () => {
    expectTypeOf<NonNullable<ReturnType<typeof manageZoneStart>['signature']>>().toEqualTypeOf<typeof manageZone>();
  });
});

describe('takeScreenshotStart', () => {
  it('describes the screenshot of a Release in a zone', () => {
    const start = takeScreenshotStart({ ...zone, release: 'hello-v0.1.0' });
    expect(describeStart(start)).toEqual({
      type: 'takeScreenshot',
      workflowId: 'take-screenshot/acme/hello-v0.1.0/hello-prod',
      conflictPolicy: 'USE_EXISTING',
      reusePolicy: 'ALLOW_DUPLICATE',
      attributes: { org: 'acme', product: 'hello', targetKind: 'zone' },
      summary: 'hello-prod: screenshot of hello-v0.1.0',
      details: 'Org **acme**, Product **hello**.',
    });
    expectTypeOf<NonNullable<(typeof start)['signature']>>().toEqualTypeOf<typeof takeScreenshot>();
    const ofImage = takeScreenshotStart({ ...zone, release: 'hello-v0.1.0', digest: 'sha256:1' }, { isPerImage: true });
    expect(ofImage.options.workflowId).toBe('take-screenshot/acme/hello-v0.1.0/hello-prod/sha256:1');
  });
});
