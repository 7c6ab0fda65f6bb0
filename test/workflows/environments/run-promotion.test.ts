import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import {
  enqueueSignal,
  manageZoneStart,
  promoteManuallyUpdate,
  withdrawSignal,
} from '../../../workflows/environments/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import {
  ZoneFixture,
  buildManualPromotion,
  buildPromotionRequest,
  holdUnhealthy,
  startZoneWorkflow,
} from '../../support/workflows/zone-fixture.ts';

describeWithTemporal('runPromotion', () => {
  it('records the pull request of the promotion, and waits for the app of exactly its commit', async () => {
    const zone = new ZoneFixture();
    const pullRequest = { number: 7, url: 'http://host/pulls/7' };
    const written = { gitopsCommit: 'g7', mergedAt: '2026-01-01T00:00:00.000Z' };
    const writePromotion = async () => ({ outcome: 'promoted' as const, ...written, pullRequest });
    await withWorkflowHarness({ ...zone.activities, writePromotion }, async (harness) => {
      const ref = { org: harness.taskQueue, product: 'hello', zone: 'hello-rc' };
      const intervals = { healthyTimeoutMs: 5_000, smokeCheckIntervalMs: 20 };
      const zoneWorkflow = await harness.start(manageZoneStart({ ...ref, intervals }));
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.findReleaseZone('v0.1.0')).toMatchObject({ pullRequest, gitopsCommit: 'g7' });
      const release = { ...ref, release: 'hello-v0.1.0' };
      expect(harness.callInputs('waitForZoneHealth')).toEqual([
        { ...release, digest: 'sha256:v0.1.0', ...written, timeoutMs: 5_000 },
      ]);
      expect(harness.callInputs('runSmokeCheck')).toEqual([{ ...release, intervalMs: 20 }]);
    });
  });

  it('fails a Release that fails the smoke check, with the response, and promotes the next one', async () => {
    const zone = new ZoneFixture();
    let isHealthy = false;
    const runSmokeCheck = async () => {
      const response = { url: 'http://hello-rc/', status: isHealthy ? 200 : 500 };
      return { outcome: isHealthy ? 'passed' : 'failed', message: 'http://hello-rc/ answered 500.', response } as const;
    };
    await withWorkflowHarness({ ...zone.activities, runSmokeCheck }, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('Failed');
      expect(zone.findReleaseZone('v0.1.0')).toMatchObject({
        smokeCheck: { status: 500 },
        failure: { message: 'http://hello-rc/ answered 500.', resource: 'zone hello-rc', fix: expect.any(String) },
      });
      isHealthy = true;
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.1'));
      await eventually(() => zone.phase('v0.1.1')).toBe('Verified');
    });
  });

  it('fails a Release that does not become healthy, or that the gitops repo refuses', async () => {
    const zone = new ZoneFixture();
    const waitForZoneHealth = async () => ({ outcome: 'failed', message: 'It restarts again and again.' }) as const;
    const writePromotion: typeof zone.activities.writePromotion = async ({ version }) => {
      if (version === 'v0.2.0') throw new ServiceError('forbidden', 'The branch main is protected.');
      return { outcome: 'promoted', gitopsCommit: 'g1', mergedAt: new Date().toISOString() };
    };
    await withWorkflowHarness({ ...zone.activities, waitForZoneHealth, writePromotion }, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('Failed');
      expect(zone.findReleaseZone('v0.1.0')?.failure?.message).toBe('It restarts again and again.');
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.2.0'));
      await eventually(() => zone.phase('v0.2.0')).toBe('Failed');
      expect(zone.findReleaseZone('v0.2.0')?.failure?.message).toBe('The branch main is protected.');
    });
  });

  it('advises to repeat a manual promotion that fails, and to start the Release again for its own promotion', async () => {
    const zone = new ZoneFixture();
    zone.running = { release: 'hello-v0.2.0', version: 'v0.2.0' };
    const writePromotion: typeof zone.activities.writePromotion = async ({ version }) => {
      if (version !== 'v0.1.0') throw new ServiceError('forbidden', 'The service may not write.');
      return { outcome: 'refused', message: 'The branch main is protected.' };
    };
    await withWorkflowHarness({ ...zone.activities, writePromotion }, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      const readFix = async (version: string) => {
        await eventually(() => zone.phase(version)).toBe('Failed');
        return zone.findReleaseZone(version)?.failure?.fix;
      };
      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.1.0')] });
      expect(await readFix('v0.1.0')).toBe('Fix the error in the gitops repo, then promote v0.1.0 to hello-rc again.');
      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.3.0')] });
      expect(await readFix('v0.3.0')).toBe('Fix the error above, then promote v0.3.0 to hello-rc again.');
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.4.0'));
      expect(await readFix('v0.4.0')).toBe('Fix the error above, then start the Release again.');
    });
  });

  it('tells how to fix what keeps an app from its zone, and otherwise to read the logs of the app', async () => {
    const zone = new ZoneFixture();
    const unknown = {
      outcome: 'failed',
      message: 'Argo CD has no cluster "far".',
      fix: 'Add the cluster to Argo CD.',
    } as const;
    const crashing = { outcome: 'failed', message: 'It restarts again and again.' } as const;
    const outcomes: { outcome: 'failed'; message: string; fix?: string }[] = [unknown, crashing];
    const waitForZoneHealth = async () => outcomes.shift() ?? crashing;
    await withWorkflowHarness({ ...zone.activities, waitForZoneHealth }, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      for (const version of ['v0.1.0', 'v0.2.0']) {
        await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest(version));
        await eventually(() => zone.phase(version)).toBe('Failed');
      }
      expect(zone.findReleaseZone('v0.1.0')?.failure).toMatchObject({ message: unknown.message, fix: unknown.fix });
      expect(zone.findReleaseZone('v0.2.0')?.failure?.fix).toMatch(/^Read the zone’s logs/);
    });
  });

  it('fails a Release whose pull request is closed without a merge, and says how to open another one', async () => {
    const zone = new ZoneFixture();
    const pullRequest = { number: 7, url: 'http://host/pulls/7' };
    const message = 'Pull request #7 was closed without a merge.';
    const writePromotion: typeof zone.activities.writePromotion = async ({ proposal }) =>
      proposal === undefined
        ? { outcome: 'blocked', message: 'The branch needs a review.', needsPerson: true, pullRequest }
        : { outcome: 'refused', message, isClosed: true };
    await withWorkflowHarness({ ...zone.activities, writePromotion }, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('Failed');
      expect(zone.findReleaseZone('v0.1.0')?.failure).toMatchObject({
        reason: 'promotion-refused',
        message,
        fix: 'To open another pull request, start the Release again.',
      });
      expect(harness.callInputs('writePromotion').map(({ proposal }) => proposal)).toEqual([undefined, 7]);
    });
  });

  it('stops a withdrawn promotion before the gitops repo and says what runs; a written one is deployed', async () => {
    const zone = new ZoneFixture();
    let isBlocked = false;
    const writePromotion: typeof zone.activities.writePromotion = async () =>
      isBlocked
        ? { outcome: 'blocked', message: 'The required check "validate" is running.', needsPerson: false }
        : { outcome: 'promoted', gitopsCommit: 'g1', mergedAt: new Date().toISOString() };
    const { letHealthy } = holdUnhealthy(zone, 'v0.3.0');
    await withWorkflowHarness({ ...zone.activities, writePromotion }, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      const withdraw = async (version: string) =>
        await zoneWorkflow.signal(withdrawSignal, { release: `hello-${version}`, by: 'ada' });
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');

      isBlocked = true;
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.2.0'));
      await eventually(() => zone.findReleaseZone('v0.2.0')?.waitingFor?.role).toBe('codehost');
      await withdraw('v0.2.0');
      await eventually(() => zone.phase('v0.2.0')).toBe('Cancelled');
      expect(zone.findReleaseZone('v0.2.0')).toMatchObject({
        failure: {
          reason: 'cancelled',
          message: 'ada cancelled the Release before it reached the gitops repo. hello-rc still runs v0.1.0.',
        },
      });
      expect(zone.findReleaseZone('v0.2.0')).not.toHaveProperty('waitingFor');

      isBlocked = false;
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.3.0'));
      await eventually(() => zone.phase('v0.3.0')).toBe('Deploying');
      await withdraw('v0.3.0');
      letHealthy();
      await eventually(() => zone.phase('v0.3.0')).toBe('Verified');
    });
  });
});
