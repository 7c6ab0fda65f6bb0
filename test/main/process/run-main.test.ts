import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
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

it('prints a failure in one line, without control characters of the server that sent it', async () => {
  const script = `import { runMain } from ${JSON.stringify(module)}; await runMain(async () => { throw new Error(process.argv[1]); });`;
  const node = ['--input-type=module-typescript', '--eval', script, 'remote:\n \u001b[2Kno\u202e access\r'];
  const child = spawn(process.execPath, node, { stdio: ['ignore', 'ignore', 'pipe'] });
  expect(await text(child.stderr)).toBe('remote: no\u{FFFD} access\n');
});

it('stops as on a signal when the reader of its output has gone', async () => {
  const main = `
    process.on('SIGTERM', () => process.exit(7));
    setInterval(() => process.stdout.write('line\\n'), 5);
  `;
  const script = `import { runMain } from ${JSON.stringify(module)}; await runMain(async () => { ${main} });`;
  const node = ['--input-type=module-typescript', '--eval', script];
  const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await once(child, 'exit')).toEqual([7, null]);
});
