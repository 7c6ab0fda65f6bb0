import { expect, it } from 'vitest';
import { promoteReleaseStart } from '../../workflows/releases/messages.ts';
import { ReleaseFixture } from '../support/workflows/release-fixture.ts';
import { describeWithTemporal } from '../support/workflows/temporal-client.ts';
import { waitForCancellation } from '../support/workflows/wait-for-cancellation.ts';
import { eventually, withWorkflowHarness } from '../support/workflows/with-workflow-harness.ts';

/** More than the activities that a worker runs at once. */
const slowBuilds = 101;

describeWithTemporal('proxyWaits', () => {
  it('lets the builds of one org leave the workers to the other orgs', async () => {
    const release = new ReleaseFixture();
    let building = 0;
    const buildImage = async () => {
      building += 1;
      return await waitForCancellation();
    };
    await withWorkflowHarness({ ...release.activities, buildImage }, async (harness) => {
      const startRelease = async (org: string, commit: string) =>
        await harness.start(
          promoteReleaseStart({ org, product: 'hello', repo: 'acme/hello', commit, startedBy: 'ada' }),
        );
      const org = harness.taskQueue;
      await Promise.all(Array.from({ length: slowBuilds }, (_, index) => startRelease(org, `c${index}`)));
      await eventually(() => building).toBeGreaterThanOrEqual(slowBuilds - 1);
      const opened = harness.callInputs('openRelease').length;
      await startRelease(`${org}-other`, 'c1');
      await eventually(() => harness.callInputs('openRelease').length).toBe(opened + 1);
      expect(harness.callInputs('openRelease').at(-1)).toMatchObject({ org: `${org}-other` });
    });
  });
});
