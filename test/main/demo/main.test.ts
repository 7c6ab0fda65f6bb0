import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPathWith } from '../../support/create-path-with.ts';
import { withoutBrowser, withoutMetrics } from '../../support/platform/test-platform.ts';
import { waitUntil } from '../../support/platform/wait-until.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';
import { reservePorts } from '../../support/servers/reserve-ports.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

const demo = fileURLToPath(new URL('../../../src/main/demo/main.ts', import.meta.url));

/** Runs the demo, which must fail, and returns what it printed and its data directory. */
async function runFailing(args: string[], environment: NodeJS.ProcessEnv = {}) {
  const { MODEL_BASE_URL: _, ...inherited } = process.env;
  const dataDir = join(await createScratchFolder(), 'data');
  const port = String(await reservePorts(10));
  const error: unknown = await promisify(execFile)(
    process.execPath,
    [demo, '--yes', '--exit', '--data-dir', dataDir, '--port', port, ...args],
    { env: { ...inherited, ...withoutMetrics, ...environment } },
  ).catch((failure: unknown) => failure);
  return { ...(error as { code: number; stdout: string; stderr: string }), dataDir };
}

describe('npm run demo', () => {
  it('starts nothing for a repository without a model', async () => {
    const { code, stderr, dataDir } = await runFailing(['--repo', '.', '--issue', 'Greet visitors']);
    expect(stderr).toMatch(/--repo requires a model.*Set MODEL_BASE_URL, MODEL_NAME and MODEL_API_KEY/);
    expect(code).not.toBe(0);
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe('npm run demo with a repository', () => {
  it('starts nothing for one that does not exist', async () => {
    const MODEL_BASE_URL = 'http://127.0.0.1:9';
    const { code, stderr, dataDir } = await runFailing(['--repo', '/absent', '--issue', 'Greet'], { MODEL_BASE_URL });
    expect(stderr).toMatch(/^The repository \/absent does not exist\./);
    expect(code).toBe(1);
    expect(existsSync(dataDir)).toBe(false);
  });
});

describeWithTemporal('npm run demo with a PUBLIC_URL that leads elsewhere', () => {
  it('gives its setup token and password to its own platform only', async () => {
    const requests: string[] = [];
    const elsewhere = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void elsewhere.close());
    await once(elsewhere, 'listening');
    const PUBLIC_URL = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    const dataDir = join(await createScratchFolder(), 'data');
    const flags = ['--yes', '--exit', '--data-dir', dataDir, '--port', String(await reservePorts(10))];
    const { MODEL_BASE_URL: _, ...inherited } = process.env;
    const child = spawn(process.execPath, [demo, ...flags], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...inherited, ...withoutMetrics, ...withoutBrowser, PUBLIC_URL },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let output = '';
    child.stderr.on('data', (text: Buffer) => (output += text.toString()));
    const ended = once(child, 'exit');
    await waitUntil(
      async () => output,
      (text) => text.includes('Created the org acme.') || child.exitCode !== null,
    );
    expect(output).toContain('Created the org acme.');
    child.kill('SIGTERM');
    await ended;
    expect(requests.filter((url) => /setup|auth|tokens/.test(url))).toEqual([]);
  });
});

describeWithTemporal('npm run demo on a machine without a sandbox', () => {
  it('creates no org, Product or issue, and ends with the reason', async () => {
    const broken = await createPathWith({ bwrap: 'echo "Permission denied" >&2; exit 1' });
    const { code, stderr, dataDir } = await runFailing([], { PATH: `${broken}${delimiter}${process.env['PATH']}` });
    expect(stderr).toMatch(/Agents cannot run here: bubblewrap cannot create a sandbox.*Permission denied/);
    expect(code).toBe(1);
    // The demo saves its progress from its first request on.
    expect(existsSync(join(dataDir, 'codehost'))).toBe(true);
    expect(existsSync(join(dataDir, 'demo.json'))).toBe(false);
  });
});
