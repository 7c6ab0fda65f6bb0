import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type GoBuildContext, type GoRun, runGo } from './run-go.ts';
import type { Tool } from '../tool.ts';

export type GoProgram = Omit<GoRun, 'args'> & {
  /** The import path of the command; its last part is the program's name. */
  command: string;
  version: string;
};

/** Builds exactly that version of a program with Go. */
export async function buildGoProgram(
  { command, version, ...progress }: GoProgram,
  context: GoBuildContext,
): Promise<Tool> {
  const bin = join(context.workDir, 'bin');
  await mkdir(bin);
  const args = ['install', `${command}@v${version}`];
  const failed = await runGo({ ...progress, args }, { ...context, env: { ...context.env, GOBIN: bin } });
  return failed ?? { path: join(bin, basename(command)) };
}
