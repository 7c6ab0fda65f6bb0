import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applyMutant, type Mutant } from './list-mutants.ts';

/** Returns the mutants that the compiler or the linter refuses. One run checks one mutant of each file. */
export async function findInvalid(root: string, copy: string, mutants: readonly Mutant[]): Promise<Set<Mutant>> {
  const invalid = new Set<Mutant>();
  // A file that is refused without a fault too says nothing about a mutant.
  const broken = mutants.length > 0 ? await check(root, copy, []) : new Set<string>();
  const findBroken = async (batch: readonly Mutant[]): Promise<Set<string>> =>
    new Set([...(await check(root, copy, batch))].filter((file) => !broken.has(file)));
  let rest = [...mutants];
  while (rest.length > 0) {
    const batch = [...new Map(rest.map((mutant) => [mutant.file, mutant])).values()];
    rest = rest.filter((mutant) => !batch.includes(mutant));
    const wrongFiles = await findBroken(batch);
    const found = batch.filter(({ file }) => wrongFiles.has(file));
    for (const mutant of found) invalid.add(mutant);
    // An error in another file may come from any of the batch, so the others are checked one by one.
    if ([...wrongFiles].some((file) => !found.some((mutant) => mutant.file === file)))
      for (const mutant of batch)
        if (!invalid.has(mutant) && (await findBroken([mutant])).size > 0) invalid.add(mutant);
  }
  return invalid;
}

/** Returns the files in which the compiler or, of those with a fault, the linter finds an error. */
async function check(root: string, copy: string, mutants: readonly Mutant[]): Promise<Set<string>> {
  const originals = await Promise.all(mutants.map(async ({ file }) => await readFile(join(copy, file), 'utf8')));
  for (const [index, mutant] of mutants.entries())
    await writeFile(join(copy, mutant.file), applyMutant(originals[index] ?? '', mutant));
  const run = async (program: string, args: string[]): Promise<string> =>
    await readOutput(join(root, 'node_modules/.bin', program), { args, cwd: copy });
  const compiled = await run('tsc', ['-p', '.', '--pretty', 'false']);
  const files = mutants.map(({ file }) => file);
  const linted = files.length === 0 ? '' : await run('oxlint', ['--type-aware', '--quiet', '--format=unix', ...files]);
  for (const [index, { file }] of mutants.entries()) await writeFile(join(copy, file), originals[index] ?? '');
  const errors = [...compiled.matchAll(/^([^\s(]+)\(\d+,\d+\): error/gm), ...linted.matchAll(/^([^\s:]+):\d+:\d+: /gm)];
  return new Set(errors.map(([, file = '']) => file));
}

type Call = { args: string[]; cwd: string };

const readOutput = async (executable: string, { args, cwd }: Call): Promise<string> =>
  await new Promise((resolve) => {
    execFile(executable, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (_, stdout) => resolve(stdout));
  });
