import { ServiceError } from '../../errors.ts';
import type { Sandbox } from './sandbox.ts';

/** Throws an error with the reason for every command, on a host without a sandbox. */
export function disabledSandbox(reason: string): Sandbox {
  const fail = (): never => {
    throw new ServiceError('sandbox-unavailable', reason);
  };
  return { violation: reason, spawn: fail, run: async () => fail() };
}
