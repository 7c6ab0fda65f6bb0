import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, inject, it, onTestFinished } from 'vitest';
import { readTemporalSettings } from '../../../src/main/temporal/read-temporal-settings.ts';
import { startTemporalServer } from '../../../src/main/temporal/start-temporal-server.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

const run = promisify(execFile);
const toScript = (name: string): string => fileURLToPath(new URL(`${name}-process.ts`, import.meta.url));

it('serves the metrics of the SDK on another port when a program has taken the chosen one', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  // The runtime of a process is shared, so this one needs a process of its own.
  const { stdout } = await run(process.execPath, [
    toScript('runtime-metrics'),
    String((other.address() as AddressInfo).port),
  ]);
  expect(stdout).toBe('The metrics are a string.\n');
});

describeWithTemporal('a process with our Temporal logger', () => {
  it('writes nothing to standard output when its Temporal server goes away', async () => {
    const server = await startTemporalServer({
      executable: inject('temporalExecutable') ?? '',
      settings: await readTemporalSettings(),
      logFile: join(await createScratchFolder(), 'temporal.log'),
      port: 0,
    });
    onTestFinished(() => server.close());
    const worker = spawn(process.execPath, [toScript('logged-worker'), server.address], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void worker.kill('SIGKILL'));
    const output = { stdout: '', stderr: '' };
    worker.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
    worker.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
    const timeout = 60_000;
    await expect.poll(() => output.stderr, { timeout }).toContain('"state":"RUNNING"');
    await server.close();
    // The native part of the SDK warns after a few failed attempts.
    await expect.poll(() => output.stdout + output.stderr, { timeout }).toMatch(/retried \d+ times/);
    expect(output.stdout).toBe('');
    expect(output.stderr).toMatch(/"level":40.*retried \d+ times/);
  }, 150_000);
});
