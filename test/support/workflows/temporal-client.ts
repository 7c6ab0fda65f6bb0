import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { describe, inject } from 'vitest';
// The import declares the values that the global setup provides.
import type {} from '../global-setup/temporal.ts';

const address = inject('temporalAddress');

/** Skips suites that need the Temporal server when there is none; the global setup reports that. */
export const describeWithTemporal = address === undefined ? describe.skip : describe;

export type TestTemporal = {
  connection: NativeConnection;
  client: Client;
  /** Unique per test, so that no other test's worker polls it; tests use it in workflow ids too. */
  taskQueue: string;
  close: () => Promise<void>;
};

export async function connectTemporal(): Promise<TestTemporal> {
  if (address === undefined) throw new Error('There is no Temporal server. Wrap the test in describeWithTemporal.');
  const connection = await NativeConnection.connect({ address });
  const client = new Client({ connection });
  return { connection, client, taskQueue: `test-${randomUUID()}`, close: () => connection.close() };
}
