import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { outside } from '../activity-options.ts';
import type { LabelIssueInput } from './messages.ts';

const { labelIssue: labelOnCodehost } = proxyActivities<Activities>(outside);

/** Gives an issue labels and takes others from it. */
export async function labelIssue(input: LabelIssueInput): Promise<void> {
  await labelOnCodehost(input);
}
