import { WorkflowFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure, WorkflowNotFoundError } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { callWorkflow } from '../../../src/integrations/temporal/call-workflow.ts';
import {
  type ManualPromotion,
  freezeZoneUpdate,
  promoteManuallyUpdate,
  unfreezeZoneUpdate,
} from '../../../workflows/environments/messages.ts';
import { ZoneFixture, buildPromotionRequest, startZoneWorkflow } from '../../support/workflows/zone-fixture.ts';
import { startShortHistoryServer } from '../../support/workflows/start-short-history-server.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

const client = {
  withDeadline: async (_deadline: number, call: () => Promise<unknown>) => await call(),
} as unknown as Client;

describe('callWorkflow', () => {
  it.each([
    ['self-approval', 'self-approval'],
    ['unavailable', 'unavailable'],
    ['token-expired', 'conflict'],
    ['fault', 'conflict'],
  ])('translates a failure of type %s to the reason %s', async (type, reason) => {
    const failure = new WorkflowFailedError(
      'Failed.',
      ApplicationFailure.nonRetryable('Not now.', type),
      'NON_RETRYABLE_FAILURE',
    );
    const call = callWorkflow(client, async () => await Promise.reject(failure));
    await expect(call).rejects.toMatchObject({ reason, message: 'Not now.' });
  });

  it('translates a call of a completed workflow to a conflict', async () => {
    const call = callWorkflow(
      client,
      async () => await Promise.reject(new WorkflowNotFoundError('Not found.', 'id', undefined)),
    );
    await expect(call).rejects.toMatchObject({ code: 'conflict', reason: 'workflow-completed' });
  });
});

/** Far more rounds than it takes for a message to meet the moment at which the workflow continues as new. */
const roundsMax = 100;

describeWithTemporal('callWorkflow with a server', () => {
  it('repeats a message that the workflow did not accept because it continued as new', async () => {
    const address = await startShortHistoryServer(25);
    const zone = new ZoneFixture();
    await withWorkflowHarness(
      zone.activities,
      async (harness) => {
        const { workflowId } = await startZoneWorkflow(harness);
        const handle = harness.client.workflow.getHandle(workflowId);
        const freeze = { reason: 'Sale.', by: 'ada', since: new Date().toISOString() };
        let [calls, attempts] = [0, 0];
        const call = async (send: () => Promise<void>): Promise<void> => {
          calls += 1;
          await callWorkflow(harness.client, async () => {
            attempts += 1;
            await send();
          });
        };
        for (let round = 1; attempts === calls && round < roundsMax; round += 1) {
          const version = `v0.${round}.0`;
          const promotion: ManualPromotion = {
            request: buildPromotionRequest(version, 'promote-release/none'),
            by: 'bob',
            role: 'member',
          };
          await call(async () => await handle.executeUpdate(promoteManuallyUpdate, { args: [promotion] }));
          await eventually(() => zone.phase(version)).toBe('Verified');
          await call(async () => await handle.executeUpdate(freezeZoneUpdate, { args: [freeze] }));
          await call(async () => await handle.executeUpdate(unfreezeZoneUpdate, { args: [{ by: 'ada' }] }));
        }
        expect(attempts).toBeGreaterThan(calls);
      },
      address,
    );
  });
});
