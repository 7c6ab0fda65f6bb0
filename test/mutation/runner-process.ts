import { writeFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createVitest } from 'vitest/node';
import { applyMutant, type Mutant } from './list-mutants.ts';

export type Job = { mutant?: Mutant; groups: string[][] };
/** A file with a failing test, or another reason. A test that has timed out may only have been too slow. */
export type Failure = { file: string; hasTimedOut: boolean };
export type Message = 'ready' | 'a test ended' | { failure?: Failure };

const root = process.cwd();
const [testTimeout = '30000', project] = process.argv.slice(2);
const send = (message: Message): void => void process.send?.(message);

const vitest = await createVitest({
  root,
  watch: false,
  reporters: [
    {
      onTestCaseResult: (test) => {
        send('a test ended');
        const { state, errors } = test.result();
        if (state === 'failed') stopAt(test.module.moduleId, errors);
      },
      onTestModuleEnd: (testModule) => {
        send('a test ended');
        if (testModule.state() === 'failed') stopAt(testModule.moduleId, testModule.errors());
      },
    },
  ],
  maxWorkers: 2,
  // Threads start faster; tests with servers change the environment of their process.
  ...(project === 'pure' && { pool: 'threads' }),
  testTimeout: Number(testTimeout),
  hookTimeout: 2 * Number(testTimeout),
  ...(project !== undefined && { project }),
});
/** The first failure of this run, which it ends. */
let failure: Failure | undefined;
function stopAt(moduleId: string, errors: readonly { message: string }[] = []): void {
  const hasTimedOut = errors.length > 0 && errors.every(({ message }) => /timed out in \d+ms/.test(message));
  failure ??= { file: moduleId.slice(root.length + 1), hasTimedOut };
  void vitest.cancelCurrentRun('test-failure');
}
await vitest.standalone();
const specifications = await vitest.globTestSpecifications();

process.on('message', (job: Job) => void run(job).then((found) => send(found ? { failure: found } : {})));
process.on('disconnect', () => void vitest.exit());
send('ready');

/** Runs the groups one after the other until one fails, and returns the first failure. */
async function run({ mutant, groups }: Job): Promise<Failure | undefined> {
  const path = mutant && join(root, mutant.file);
  const original = path === undefined ? '' : await readFile(path, 'utf8');
  if (mutant && path !== undefined) {
    await writeFile(path, applyMutant(original, mutant));
    vitest.invalidateFile(path);
  }
  try {
    for (const group of groups) {
      const found = await runFiles(group);
      if (found) return found;
    }
    return undefined;
  } finally {
    if (path !== undefined) {
      await writeFile(path, original);
      vitest.invalidateFile(path);
    }
  }
}

async function runFiles(files: string[]): Promise<Failure | undefined> {
  const chosen = specifications.filter(({ moduleId }) => files.some((file) => moduleId === join(root, file)));
  failure = undefined;
  const { unhandledErrors } = await vitest.runTestSpecifications(chosen);
  if (unhandledErrors.length > 0) failure ??= { file: 'an unhandled error', hasTimedOut: false };
  return failure;
}
