import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { bubblewrapSandbox } from '../../src/integrations/sandbox/bubblewrap.ts';
import type { Sandbox } from '../../src/integrations/sandbox/sandbox.ts';

/** Returns the real sandbox with the `bwrap` of this machine. */
export const createTestSandbox = (): Sandbox => bubblewrapSandbox({ executable: findBubblewrap() });

export function findBubblewrap(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const executable = folders.map((folder) => join(folder, 'bwrap')).find((path) => existsSync(path));
  if (!executable) throw new Error('bwrap is not on PATH: install bubblewrap to run these tests.');
  return executable;
}
