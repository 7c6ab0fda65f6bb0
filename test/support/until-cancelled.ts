import { Context } from '@temporalio/activity';

/** In an activity: works until it is cancelled. */
export async function untilCancelled(): Promise<never> {
  return await Context.current().cancelled;
}
