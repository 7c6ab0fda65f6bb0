import { ApiProblem } from '../api-client.ts';

/** A 409 means that an earlier demo or another person was faster; the next read shows the result. */
export async function ignoreConflict(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 409) throw error;
  }
}
