import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startTemporalServer } from '../../../src/main/temporal/start-temporal-server.ts';
import { readTemporalSettings } from '../../../src/main/temporal/read-temporal-settings.ts';
import { ensureTemporalServer } from '../../../src/main/tools/ensure-temporal-server.ts';
import { toolCacheDir } from '../../../src/main/tools/tool.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Undefined when this machine has no Temporal server and cannot build one. */
    temporalAddress: string | undefined;
    temporalExecutable: string | undefined;
  }
}

/** Starts one in-memory server for all tests, which use separate task queues and workflow ids. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const { env } = process;
  const onProgress = (message: string) => process.stderr.write(`${message}\n`);
  const found = await ensureTemporalServer({ cacheDir: toolCacheDir(env), env, onProgress });
  if ('missing' in found) {
    if (env['CI']) throw new Error(found.missing);
    process.stderr.write(`\nSKIPPING EVERY TEST THAT NEEDS A TEMPORAL SERVER. ${found.missing}\n\n`);
    project.provide('temporalAddress', undefined);
    project.provide('temporalExecutable', undefined);
    return undefined;
  }
  const scratch = await mkdtemp(join(tmpdir(), 'temporal-'));
  const settings = await readTemporalSettings();
  const logFile = join(scratch, 'temporal.log');
  const server = await startTemporalServer({ executable: found.path, settings, logFile, port: 0 });
  project.provide('temporalAddress', server.address);
  project.provide('temporalExecutable', found.path);
  return async () => {
    await server.close();
    await rm(scratch, { recursive: true, force: true });
  };
}
