import { ActivityFailure, isCancellation } from '@temporalio/workflow';

/**
 * Returns the result of activities in a loop, or undefined when one of them was refused: the loop repeats it later, and
 * must not end for good because of a permission, a policy or an object that is missing for a while.
 */
export async function tryActivity<T>(run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    return undefined;
  }
}
