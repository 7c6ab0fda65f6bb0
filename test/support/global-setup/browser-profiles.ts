import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the profiles of all workers' browsers, which is removed when the workers have ended. */
    browserProfiles: string;
  }
}

/** Provides a folder for the profiles of browsers, which end with their worker and so cannot remove them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'browser-profiles-'));
  project.provide('browserProfiles', folder);
  return async () => await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
}
