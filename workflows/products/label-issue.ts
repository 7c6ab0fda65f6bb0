import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { externalApiOptions } from '../activity-options.ts';
import type { LabelIssueInput } from './messages.ts';

const { labelIssue: labelIssueActivity } = proxyActivities<Activities>(externalApiOptions);

/** Adds labels to an issue and removes others. */
export async function labelIssue(input: LabelIssueInput): Promise<void> {
  await labelIssueActivity(input);
}
