import { writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createVitest } from 'vitest/node';
import { applyMutant, type Mutant } from './list-mutants.ts';

export type Job = { mutant?: Mutant; groups: string[][] };
export type Answer = 'ready' | { failed: string[] };

const root = process.cwd();
const [testTimeout = '30000', project] = process.argv.slice(2);

const vitest = await createVitest({
  root,
  watch: false,
  reporters: [
    {
      onTestCaseResult: (test) => void (test.result().state === 'failed' && stopAt(test.module.moduleId)),
      onTestModuleEnd: (testModule) => void (testModule.state() === 'failed' && stopAt(testModule.moduleId)),
    },
  ],
  maxWorkers: 2,
  // Threads start faster; tests with servers change the environment of their process.
  ...(project === 'pure' && { pool: 'threads' }),
  testTimeout: Number(testTimeout),
  hookTimeout: 2 * Number(testTimeout),
  ...(project !== undefined && { project }),
});
/** The files that failed in this run, which the first failure ends. */
let failed = new Set<string>();
function stopAt(moduleId: string): void {
  failed.add(moduleId.slice(root.length + 1));
  void vitest.cancelCurrentRun('test-failure');
}
await vitest.standalone();
const specifications = await vitest.globTestSpecifications();

process.on('message', (job: Job) => void run(job).then((answer) => process.send?.(answer satisfies Answer)));
process.on('disconnect', () => void vitest.exit());
process.send?.('ready' satisfies Answer);

/** Runs the groups one after the other until one fails, and returns the files that failed. */
async function run({ mutant, groups }: Job): Promise<Answer> {
  const path = mutant && join(root, mutant.file);
  const original = path === undefined ? '' : await readFile(path, 'utf8');
  if (mutant && path !== undefined) {
    await writeFile(path, applyMutant(original, mutant));
    vitest.invalidateFile(path);
  }
  try {
    for (const group of groups) {
      const failures = await runFiles(group);
      if (failures.length > 0) return { failed: failures };
    }
    return { failed: [] };
  } finally {
    if (path !== undefined) {
      await writeFile(path, original);
      vitest.invalidateFile(path);
    }
  }
}

async function runFiles(files: string[]): Promise<string[]> {
  const chosen = specifications.filter(({ moduleId }) => files.some((file) => moduleId === join(root, file)));
  failed = new Set();
  const { unhandledErrors } = await vitest.runTestSpecifications(chosen);
  return unhandledErrors.length > 0 && failed.size === 0 ? ['an unhandled error'] : [...failed];
}
