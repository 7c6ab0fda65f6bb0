import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type GoPlace, type GoRun, runGo } from './run-go.ts';
import type { Tool } from './tool.ts';

export type GoProgram = Omit<GoRun, 'args'> & {
  /** The import path of the command; its last part is the program's name. */
  command: string;
  version: string;
};

/** Has Go build a program of exactly that version. */
export async function buildWithGo({ command, version, ...words }: GoProgram, place: GoPlace): Promise<Tool> {
  const bin = join(place.workDir, 'bin');
  await mkdir(bin);
  // Without the tables for debuggers the program is a third smaller.
  const args = ['install', '-ldflags=-s -w', `${command}@v${version}`];
  const failed = await runGo({ ...words, args }, { ...place, env: { ...place.env, GOBIN: bin } });
  return failed ?? { path: join(bin, basename(command)) };
}
