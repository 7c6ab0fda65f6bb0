import type { Client } from '@temporalio/client';
import { callWorkflow } from '../../src/integrations/temporal/call-workflow.ts';
import { ServiceError } from '../../src/errors.ts';
import { createIssueType } from '../../workflows/products/messages.ts';

/** A board without this count is better than one that comes late. */
const timeoutMs = 500;

/** Counts the issues whose requests are accepted and not yet at the code host; undefined without the workflow server. */
export async function countNewIssues(
  temporal: Client,
  { org, product }: { org: string; product: string },
): Promise<number | undefined> {
  const query = `WorkflowType = '${createIssueType}' AND ExecutionStatus = 'Running' AND org = '${org}' AND product = '${product}'`;
  try {
    return (await callWorkflow(temporal, async () => await temporal.workflow.count(query), { timeoutMs })).count;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
