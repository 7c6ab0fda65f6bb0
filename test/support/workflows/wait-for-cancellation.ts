import { Context } from '@temporalio/activity';

/** Blocks an activity until it is cancelled. */
export async function waitForCancellation(): Promise<never> {
  return await Context.current().cancelled;
}
