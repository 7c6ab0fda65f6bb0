import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const worker = fileURLToPath(new URL('../../../src/main/worker/main.ts', import.meta.url));

it('refuses a BACKUPS_DIR that is a file, if it writes backups', async () => {
  const folder = await createScratchFolder();
  const BACKUPS_DIR = join(folder, 'backups');
  await writeFile(BACKUPS_DIR, '');
  const run = promisify(execFile)(process.execPath, [worker, '--queues=backups'], {
    // Nothing listens on port 9, so a worker that does not refuse ends there.
    env: { PATH: process.env['PATH'], DATA_DIR: folder, BACKUPS_DIR, TEMPORAL_ADDRESS: '127.0.0.1:9' },
  });
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^The folder \S+\/backups cannot be written .*\. Set another BACKUPS_DIR\.$/m,
    ) as string,
  });
});
