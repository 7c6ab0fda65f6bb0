import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { outside } from '../activity-options.ts';
import type { CreateIssueInput } from './messages.ts';

const { createIssue: createOnCodehost } = proxyActivities<Activities>(outside);

/** Creates an issue whose text was put aside beforehand, and answers its number. */
export async function createIssue(input: CreateIssueInput): Promise<{ number: number }> {
  return await createOnCodehost(input);
}
