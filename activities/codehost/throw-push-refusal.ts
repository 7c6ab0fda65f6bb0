import { ServiceError } from '../../src/errors.ts';
import { PushRejectedError } from '../../src/integrations/git/push-result.ts';

/** Names what a person can do about a push that the code host rejects, because a repetition would be rejected too. */
export const throwPushRefusal =
  (fix?: string) =>
  (error: unknown): never => {
    if (!(error instanceof PushRejectedError)) throw error;
    throw new ServiceError('codehost-conflict', `${error.message}${fix === undefined ? '.' : `\n${fix}`}`);
  };
