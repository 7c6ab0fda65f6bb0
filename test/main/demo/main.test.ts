import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createPathWith } from '../../support/create-path-with.ts';
import { withoutMetrics } from '../../support/platform/test-platform.ts';
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
