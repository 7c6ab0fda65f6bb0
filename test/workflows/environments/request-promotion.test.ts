import { expect, it } from 'vitest';
import { manageZoneId } from '../../../workflows/environments/messages.ts';
import { ReleaseFixture, startRelease } from '../../support/workflows/release-fixture.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { startZoneWorkflow } from '../../support/workflows/zone-fixture.ts';

describeWithTemporal('requestPromotion', () => {
  it('uses the workflow of a zone, or starts it, and leaves it running after the Release', async () => {
    const release = new ReleaseFixture();
    const readZone = async () => ({ requiresApproval: false, running: undefined });
    await withWorkflowHarness({ ...release.activities, readZone }, async (harness) => {
      const describeZone = async (zone: string) => {
        const workflowId = manageZoneId({ org: harness.taskQueue, product: 'hello', zone });
        const { runId, status } = await harness.client.workflow.getHandle(workflowId).describe();
        return { runId, status: status.name };
      };
      await startZoneWorkflow(harness, 'hello-rc');
      const before = await describeZone('hello-rc');
      await (await startRelease(harness)).result();
      expect(await describeZone('hello-rc')).toEqual(before);
      expect(await describeZone('hello-prod')).toMatchObject({ status: 'RUNNING' });
      expect(release.zones.phaseHistory.filter((phase) => phase === 'v0.1.0 Verified')).toHaveLength(2);
    });
  });
});
