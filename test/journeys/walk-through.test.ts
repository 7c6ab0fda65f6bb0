import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { TestPlatform } from '../support/platform/test-platform.ts';

const run = promisify(execFile);
const readme = fileURLToPath(new URL('../../README.md', import.meta.url));

it('runs the walk-through of the README to production without changes', async () => {
  const [, walkThrough = ''] = (await readFile(readme, 'utf8')).split('## Walk-through\n');
  const script = [...walkThrough.matchAll(/^```sh\n(.*?)^```/gms)].map(([, commands]) => commands).join('\n');
  const platform = await TestPlatform.start();
  onTestFinished(async () => await platform.remove());
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
    env: { PATH: process.env['PATH'], HOME: platform.dataDir, DATA_DIR: platform.dataDir, SERVICE_URL: platform.url },
    timeout: 120_000,
  });
  expect(stdout).toContain('<h1>Hello, Ada</h1>');
}, 180_000);
