import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { withHeartbeat } from '../../activities/with-heartbeat.ts';

/** Runs work in an activity; a failure is returned, because the mock would log it. */
const runIn = async <T>(environment: MockActivityEnvironment, work: (signal: AbortSignal) => Promise<T>) =>
  await environment.run(async () => await withHeartbeat(work).catch((error: unknown) => error));

it('heartbeats at once, and then three times within the timeout', async () => {
  const environment = new MockActivityEnvironment({ heartbeatTimeoutMs: 60 });
  const heartbeats: number[] = [];
  environment.on('heartbeat', () => heartbeats.push(performance.now()));
  const threeHeartbeats = async () => {
    expect(heartbeats).toHaveLength(1);
    while (heartbeats.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    return 'done';
  };
  expect(await runIn(environment, threeHeartbeats)).toBe('done');
  const ended = heartbeats.length;
  expect((heartbeats[2] ?? 0) - (heartbeats[0] ?? 0)).toBeGreaterThanOrEqual(38);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(heartbeats).toHaveLength(ended);
});

it('passes on an error of the work', async () => {
  const error = new Error('The store is away.');
  expect(await runIn(new MockActivityEnvironment(), async () => await Promise.reject(error))).toBe(error);
});

describe('when the activity is cancelled', () => {
  const cancelWith = async (reason: 'CANCELLED' | 'WORKER_SHUTDOWN', work: () => Promise<unknown>) => {
    const environment = new MockActivityEnvironment();
    return await runIn(environment, async (signal) => {
      environment.cancel(reason);
      expect(signal.aborted).toBe(true);
      return await work();
    });
  };
  const fail = async () => await Promise.reject(new Error('The program was killed.'));

  it('ends as cancelled, whatever the work throws', async () => {
    expect(await cancelWith('CANCELLED', fail)).toBeInstanceOf(CancelledFailure);
  });

  it('is retried elsewhere if only its worker shuts down', async () => {
    expect(await cancelWith('WORKER_SHUTDOWN', fail)).toMatchObject({ type: 'WorkerShutdown', nonRetryable: false });
  });

  it('keeps the result of work that is done', async () => {
    expect(await cancelWith('CANCELLED', async () => 'done')).toBe('done');
  });
});
