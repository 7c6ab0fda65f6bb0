import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { promoteReleaseId } from '../../../src/rules/releases/promote-release-id.ts';
import { scaffoldProductStart } from '../../../workflows/products/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

const commit = 'c'.repeat(40);
const repo = 'acme/fresh';
const succeeding = {
  createSourceRepo: async () => {},
  commitSource: async () => ({ repo, commit }),
  hasRelease: async () => false,
  recordScaffold: async () => true,
  openRelease: async () => {
    throw ApplicationFailure.nonRetryable('The test ends here.', 'not-found');
  },
} satisfies Partial<Activities>;
const buildInput = (org: string) => ({ org, product: 'fresh', uid: 'u1', by: 'ada@example.com' });

describeWithTemporal('scaffoldProduct', () => {
  it('creates the repo, commits the files, and starts the first Release as its creator', async () => {
    await withWorkflowHarness(succeeding, async (harness) => {
      const input = buildInput(harness.taskQueue);
      await (await harness.start(scaffoldProductStart(input))).result();
      const phases = harness.callInputs('recordScaffold').map(({ patch }) => patch.phase);
      expect(phases).toEqual(['CreatingRepo', 'Committing', 'StartingRelease', 'Succeeded']);
      await eventually(() => harness.callInputs('openRelease').length).toBe(1);
      expect(harness.callInputs('openRelease')).toMatchObject([{ repo, commit, startedBy: 'ada@example.com' }]);
      const release = harness.client.workflow.getHandle(promoteReleaseId({ ...input, commit }));
      await expect(release.result()).rejects.toThrow('failed');
    });
  });

  it('gives the commit of a large archive the time that it takes', async () => {
    await withWorkflowHarness({ ...succeeding, hasRelease: async () => true }, async (harness) => {
      const handle = await harness.start(scaffoldProductStart(buildInput(harness.taskQueue)));
      await handle.result();
      const { events } = await handle.fetchHistory();
      const scheduled = events?.map(({ activityTaskScheduledEventAttributes: attributes }) => attributes);
      const commitment = scheduled?.find((one) => one?.activityType?.name === 'commitSource');
      expect(Number(commitment?.startToCloseTimeout?.seconds)).toBeGreaterThanOrEqual(600);
    });
  });

  it('starts no second Release when a retry finds that the commit has one', async () => {
    await withWorkflowHarness({ ...succeeding, hasRelease: async () => true }, async (harness) => {
      const start = scaffoldProductStart(buildInput(harness.taskQueue));
      for (let attempt = 1; attempt <= 2; attempt += 1) await (await harness.start(start)).result();
      expect(harness.callInputs('openRelease')).toEqual([]);
      expect(harness.callInputs('recordScaffold').at(-1)?.patch.phase).toBe('Succeeded');
    });
  });

  it.each([
    ['repo-exists', /^Rename or delete the repo/],
    ['codehost-access-denied', /^Fix the error above, then retry\.$/],
  ])('records %s with its fix, and continues when it is retried', async (reason, fix) => {
    let isBroken = true;
    const commitSource = async () => {
      if (isBroken) throw ApplicationFailure.nonRetryable('No.', reason);
      return { repo, commit };
    };
    await withWorkflowHarness({ ...succeeding, commitSource, hasRelease: async () => true }, async (harness) => {
      const start = scaffoldProductStart(buildInput(harness.taskQueue));
      const last = () => harness.callInputs('recordScaffold').at(-1)?.patch;
      await (await harness.start(start)).result();
      expect(last()).toMatchObject({
        phase: 'Failed',
        finishedAt: expect.any(String),
        failure: { message: 'No.', resource: 'Product fresh', fix: expect.stringMatching(fix) },
      });
      isBroken = false;
      await (await harness.start(start)).result();
      expect(last()).toMatchObject({ phase: 'Succeeded' });
    });
  });

  it.each(['CreatingRepo', 'Committing', 'StartingRelease'])(
    'stops at %s when the Product is deleted meanwhile',
    async (stopped) => {
      const recordScaffold: Activities['recordScaffold'] = async ({ patch }) => patch.phase !== stopped;
      await withWorkflowHarness({ ...succeeding, recordScaffold }, async (harness) => {
        await (await harness.start(scaffoldProductStart(buildInput(harness.taskQueue)))).result();
        expect(harness.callInputs('recordScaffold').at(-1)?.patch.phase).toBe(stopped);
        expect(harness.callInputs('openRelease')).toEqual([]);
        const expected = { CreatingRepo: 0, Committing: 0, StartingRelease: 1 }[stopped];
        expect(harness.callInputs('commitSource')).toHaveLength(expected ?? -1);
      });
    },
  );
});
