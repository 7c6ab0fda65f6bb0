import { expect, it } from 'vitest';
import { logoDirections } from '../../../src/rules/products/logo.ts';
import { suggestLogosStart } from '../../../workflows/products/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

describeWithTemporal('suggestLogos', () => {
  it('designs one logo per direction for the round', async () => {
    await withWorkflowHarness({ designLogo: async () => {} }, async (harness) => {
      const ref = { org: harness.taskQueue, product: 'hello', round: 'r1' };
      await (await harness.start(suggestLogosStart(ref))).result();
      const calls = harness.callInputs('designLogo');
      expect(calls.map(({ direction }) => direction).toSorted()).toEqual(
        logoDirections.map(({ name }) => name).toSorted(),
      );
      expect(calls.every(({ round }) => round === 'r1')).toBe(true);
    });
  });

  it('lets a model think about a design for minutes', async () => {
    await withWorkflowHarness({ designLogo: async () => {} }, async (harness) => {
      const ref = { org: harness.taskQueue, product: 'hello', round: 'r1' };
      const handle = await harness.start(suggestLogosStart(ref));
      await handle.result();
      const scheduled = (await handle.fetchHistory()).events?.flatMap(
        (event) => event.activityTaskScheduledEventAttributes ?? [],
      );
      expect(scheduled).toHaveLength(logoDirections.length);
      for (const { startToCloseTimeout } of scheduled ?? [])
        expect(Number(startToCloseTimeout?.seconds)).toBeGreaterThanOrEqual(300);
    });
  });
});
