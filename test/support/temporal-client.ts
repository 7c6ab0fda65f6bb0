import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { describe, inject } from 'vitest';
// For what it declares that the run provides.
import type {} from './temporal.ts';

const address = inject('temporalAddress');

/** A suite that needs the run's Temporal server; skipped, loudly at the run's start, where there can be none. */
export const describeWithTemporal = address === undefined ? describe.skip : describe;

export type TemporalForTest = {
  connection: NativeConnection;
  client: Client;
  /** Unique, so that no other test's worker takes this one's work; good as a part of workflow ids too. */
  taskQueue: string;
  close: () => Promise<void>;
};

export async function connectTemporal(): Promise<TemporalForTest> {
  if (address === undefined) throw new Error('There is no Temporal server. Put the test in describeWithTemporal.');
  const connection = await NativeConnection.connect({ address });
  const client = new Client({ connection });
  return { connection, client, taskQueue: `test-${randomUUID()}`, close: () => connection.close() };
}
