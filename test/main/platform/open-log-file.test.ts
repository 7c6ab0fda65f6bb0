import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { findBubblewrap } from '../../support/test-sandbox.ts';

const run = promisify(execFile);

/** Runs a module in a process whose folder is a disk of 64 KiB, and returns the lines that it prints. */
async function runOnSmallDisk(script: string): Promise<string[]> {
  const folder = await createScratchFolder();
  const module = join(import.meta.dirname, '../../../src/main/platform/open-log-file.ts');
  const disk = [
    '--die-with-parent',
    '--dev-bind',
    '/',
    '/',
    '--size',
    String(64 * 1024),
    '--tmpfs',
    folder,
    '--chdir',
    folder,
  ];
  const prelude = `
    import { appendFileSync, readFileSync, rmSync } from 'node:fs';
    import { openLogFile } from ${JSON.stringify(module)};
    const fill = () => { for (;;) try { appendFileSync('ballast', Buffer.alloc(4096)); } catch { return; } };
    const rest = () => new Promise((resolve) => setTimeout(resolve, 10));`;
  const node = [process.execPath, '--input-type=module-typescript', '--eval', prelude + script];
  // A process that the full disk blocks is killed, which fails the test.
  const { stdout } = await run(findBubblewrap(), [...disk, ...node], { timeout: 120_000, killSignal: 'SIGKILL' });
  return stdout.trimEnd().split('\n');
}

it('neither blocks nor ends the process when the disk is full', async () => {
  const output = await runOnSmallDisk(`
    const log = openLogFile('logs/service.log', 'info');
    log.info('Started.');
    fill();
    for (let line = 0; line < 1000; line += 1) log.error({ line }, 'No space left.');
    await rest();
    log.error('No space left.');
    await rest();
    console.log('answers');`);
  expect(output).toEqual(['answers']);
});

it('writes whole lines again once there is space', async () => {
  const output = await runOnSmallDisk(`
    const log = openLogFile('logs/service.log', 'info');
    log.info('Started.');
    fill();
    log.info('Cut off. ' + 'x'.repeat(5_000));
    log.info('Dropped.');
    rmSync('ballast');
    log.info('One.');
    log.info('Two.');
    const text = readFileSync('logs/service.log', 'utf8');
    for (const line of text.trimEnd().split('\\n').slice(-2)) console.log(JSON.parse(line).msg);
    console.log(text.includes('Dropped.'));`);
  expect(output).toEqual(['One.', 'Two.', 'false']);
});
