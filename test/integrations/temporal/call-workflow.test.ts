import { Client, ServiceError, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, WorkflowNotFoundError } from '@temporalio/common';
import { NativeConnection } from '@temporalio/worker';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { callWorkflow, isTemporalReachable } from '../../../src/integrations/temporal/call-workflow.ts';
import { freezeZoneUpdate, unfreezeZoneUpdate } from '../../../workflows/environments/messages.ts';
import { startSlowProxy } from '../../support/servers/slow-proxy.ts';
import { ZoneFixture, startZoneWorkflow } from '../../support/workflows/zone-fixture.ts';
import { startShortHistoryServer } from '../../support/workflows/start-short-history-server.ts';
import { withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
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

  it.each(['unexpected workflow task failure', 'workflow is closing'])(
    'repeats a message that the server rejected with "%s"',
    async (text) => {
      const cause = Object.assign(new Error(`5 NOT_FOUND: ${text}`), { code: 5, details: text, metadata: {} });
      const rejections = [new ServiceError('Rejected.', { cause }), new ServiceError(`Unable to update: ${text}.`)];
      const result = await callWorkflow(client, async () => {
        const rejection = rejections.pop();
        if (rejection) throw rejection;
        return 'accepted';
      });
      expect(result).toBe('accepted');
    },
  );

  it('translates a call of a completed workflow to a conflict', async () => {
    const call = callWorkflow(
      client,
      async () => await Promise.reject(new WorkflowNotFoundError('Not found.', 'id', undefined)),
    );
    await expect(call).rejects.toMatchObject({ code: 'conflict', reason: 'workflow-completed' });
  });
});

describeWithTemporal('callWorkflow with a server', () => {
  it('loses and refuses no message while the workflow continues as new again and again', async () => {
    const address = await startShortHistoryServer(25);
    const zone = new ZoneFixture();
    await withWorkflowHarness(
      zone.activities,
      async (harness) => {
        const { workflowId } = await startZoneWorkflow(harness);
        const handle = harness.client.workflow.getHandle(workflowId);
        const freeze = { reason: 'Sale.', by: 'ada', since: new Date().toISOString() };
        const runIds = new Set<string>();
        const sendMessages = async (): Promise<void> => {
          for (let round = 1; round <= 5; round += 1) {
            await callWorkflow(harness.client, async () => {
              await handle.executeUpdate(freezeZoneUpdate, { args: [freeze] });
            });
            await callWorkflow(harness.client, async () => {
              await handle.executeUpdate(unfreezeZoneUpdate, { args: [{ by: 'ada' }] });
            });
            runIds.add((await handle.describe()).runId);
          }
        };
        await Promise.all(Array.from({ length: 3 }, sendMessages));
        expect(runIds.size).toBeGreaterThan(2);
      },
      address,
    );
  });

  it('waits for a server that is slow, until the deadline only, and not long for one that is away', async () => {
    const connectThroughProxy = async () => {
      const proxy = await startSlowProxy(inject('temporalAddress') ?? '');
      const connection = await NativeConnection.connect({ address: proxy.address });
      onTestFinished(async () => await connection.close());
      const temporal = new Client({ connection });
      const call = async (timeoutMs?: number) =>
        await callWorkflow(
          temporal,
          async () => await temporal.workflow.getHandle('no-such-workflow').signal('any'),
          timeoutMs === undefined ? {} : { timeoutMs },
        );
      return { proxy, temporal, call };
    };
    const completed = { reason: 'workflow-completed' };
    const callSlowServer = async (): Promise<void> => {
      const { proxy, temporal, call } = await connectThroughProxy();
      await expect(call()).rejects.toMatchObject(completed);
      expect(await isTemporalReachable(temporal, 10_000)).toBe(true);
      proxy.pause();
      setTimeout(() => proxy.resume(), 4_000);
      await expect(call()).rejects.toMatchObject(completed);
      proxy.pause();
      await expect(call(300)).rejects.toMatchObject({ code: 'unavailable', reason: 'workflow-not-responding' });
    };
    const callLostServer = async (): Promise<void> => {
      const { proxy, temporal, call } = await connectThroughProxy();
      await expect(call()).rejects.toMatchObject(completed);
      proxy.close();
      const lost = { code: 'unavailable', reason: 'workflow-server-unreachable' };
      const isReachable = isTemporalReachable(temporal, 10_000);
      await expect(call()).rejects.toMatchObject(lost);
      expect(await isReachable).toBe(false);
    };
    // The client looks for a lost server for some seconds, which the other calls take too.
    await Promise.all([callSlowServer(), callLostServer()]);
  });
});
