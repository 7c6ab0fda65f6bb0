import { isServiceError } from '../../errors.ts';
import type { Models } from '../../integrations/models/models.ts';

/**
 * Throws when the org's model cannot be used: it is not reachable, or a setting is wrong. A slow model may have to be loaded
 * first, and an overloaded one is no reason to refuse, because the agents retry.
 */
export async function verifyModel(models: Pick<Models, 'verifyOrg'>, org: string): Promise<void> {
  const signal = AbortSignal.timeout(120_000);
  try {
    await models.verifyOrg(org, signal);
  } catch (error) {
    if (signal.aborted) throw new Error('The model did not answer a test request within two minutes.');
    if (!isServiceError(error, 'unavailable') || error.errors.length > 0) throw error;
  }
}
