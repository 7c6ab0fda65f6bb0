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
    if (isBlocked(error))
      throw new ServiceError(
        'not-found',
        `The code host blocks access to ${what}. An owner can read the reason on the code host, and appeal there.`,
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

/** A repo can be blocked for a legal reason (451) or for a violation of the terms (403), which affects no other repo. */
const isBlocked = ({ status, message }: RequestError): boolean =>
  status === 451 || (status === 403 && /\baccess blocked\b/i.test(message));

/** Returns undefined for a 404. */
export async function orUndefined<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (findHttpStatus(error) === 404) return undefined;
    throw error;
  }
}
