import { RequestError } from '@octokit/request-error';
import { ServiceError, invalid } from '../../errors.ts';

export function findHttpStatus(error: unknown): number | undefined {
  return error instanceof RequestError ? error.status : undefined;
}

/** Translates the errors that a caller can act on. All other errors stay faults and are retried. */
export async function mapErrors<T>(what: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.status === 404 || error.status === 410)
      throw new ServiceError(
        'not-found',
        `The code host does not have ${what}, or this org’s application has no access to it.`,
      );
    if (error.status === 401)
      throw new ServiceError(
        'codehost-access-denied',
        `The code host rejected the credentials of this org's application for ${what}. Connect the org to its code host again.`,
      );
    if (error.status === 409)
      throw new ServiceError('codehost-conflict', `The code host rejected ${what}: ${error.message}`);
    // Octokit reports a failed connection as status 500.
    if (error.status >= 500)
      throw new ServiceError(
        'codehost-unreachable',
        `The code host cannot be reached for ${what}: ${error.message}. Retry in a moment.`,
      );
    if (error.status === 422) throw invalid(`The code host rejected ${what}: ${error.message}`);
    throw error;
  }
}

/** Returns undefined for a 404. */
export async function orUndefined<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (findHttpStatus(error) === 404) return undefined;
    throw error;
  }
}
