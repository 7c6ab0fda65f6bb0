import type { Workflow } from '@temporalio/common';
import { condition } from '@temporalio/workflow';
import { startDetached } from '../../workflows/start-detached.ts';
import type { WorkflowStart } from '../../workflows/workflow-start.ts';

export async function startAll(starts: WorkflowStart<Workflow>[]): Promise<(string | undefined)[]> {
  const runIds: (string | undefined)[] = [];
  for (const start of starts) runIds.push(await startDetached(start));
  return runIds;
}

export async function startAndWait(start: WorkflowStart<Workflow>): Promise<void> {
  await startDetached(start);
  await condition(() => false);
}

/** Handles every other workflow type. */
export default async function waitForever(): Promise<void> {
  await condition(() => false);
}
