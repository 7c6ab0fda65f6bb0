import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const module = join(import.meta.dirname, '../../../src/main/process/run-main.ts');

/** Runs a main function whose standard error is the given file, and returns the exit status. */
async function runWithErrorsIn(file: string, main: string): Promise<unknown> {
  const script = `import { runMain } from ${JSON.stringify(module)}; await runMain(async () => { ${main} });`;
  const errors = openSync(file, 'a');
  const node = ['--input-type=module-typescript', '--eval', script];
  const child = spawn(process.execPath, node, { stdio: ['ignore', 'ignore', errors] });
  closeSync(errors);
  const [status] = (await once(child, 'exit')) as [number | null];
  return status;
}

it.runIf(process.platform === 'linux')('goes on when its output finds no space on the disk', async () => {
  const write = "process.stderr.write('almost full'); await new Promise((resolve) => setTimeout(resolve, 10));";
  expect(await runWithErrorsIn('/dev/full', `${write} ${write} process.exit(7);`)).toBe(7);
});

it('exits with a status of its own for a failure', async () => {
  expect(await runWithErrorsIn('/dev/null', "throw new Error('It failed.');")).toBe(1);
});
