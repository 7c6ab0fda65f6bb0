import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { externalApiOptions } from '../activity-options.ts';
import type { CreateIssueInput } from './messages.ts';

const { createIssue: createIssueActivity } = proxyActivities<Activities>(externalApiOptions);

/** Creates an issue and returns its number; the caller has stored the issue's text as a blob. */
export async function createIssue(input: CreateIssueInput): Promise<{ number: number }> {
  return await createIssueActivity(input);
}
