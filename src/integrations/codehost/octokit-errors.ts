import { RequestError } from '@octokit/request-error';
import { ServiceError, invalid } from '../../errors.ts';

export function statusOf(error: unknown): number | undefined {
  return error instanceof RequestError ? error.status : undefined;
}

/** Turns the code host's refusals that a caller can act on into ours; every other failure stays a fault and is retried. */
export async function translating<T>(what: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.status === 404 || error.status === 410)
      throw new ServiceError(
        'not-found',
        `The code host does not have ${what}, or hides it from this org’s application.`,
      );
    if (error.status === 401)
      throw new ServiceError(
        'forbidden',
        `The code host refused this org's application for ${what}. Connect the org to its code host again.`,
      );
    if (error.status === 409) throw new ServiceError('conflict', `The code host refused ${what}: ${error.message}`);
    if (error.status === 422) throw invalid(`The code host refused ${what}: ${error.message}`);
    throw error;
  }
}

/** `undefined` where the code host has no such thing. */
export async function found<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}
