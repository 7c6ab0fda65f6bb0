import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../src/errors.ts';

const attemptsMax = 8;

/**
 * Repeats a decision that the workflow refuses although the store shows that the step waits for it. A workflow writes the
 * store during its task; when the server repeats that task, a decision can arrive before the workflow waits again.
 */
export async function retryWhileShown<T>(decide: () => Promise<T>, isShown: () => Promise<boolean>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await decide();
    } catch (error) {
      const isRefused = error instanceof ServiceError && error.reason === 'step-not-waiting';
      if (!isRefused || attempt === attemptsMax || !(await isShown())) throw error;
      await sleep(100 * attempt);
    }
  }
}
