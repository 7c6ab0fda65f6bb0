import { ServiceError } from '../../errors.ts';
import type { Sandbox } from './sandbox.ts';

/** For a host that has no sandbox: nothing runs, and whoever asks is told why and how to fix it. */
export function refusingSandbox(reason: string): Sandbox {
  const refuse = (): never => {
    throw new ServiceError('unavailable', reason);
  };
  return { spawn: refuse, run: async () => refuse() };
}
