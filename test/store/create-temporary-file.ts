import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** Returns a path for a store of one test; its folder is deleted after the test. */
export async function createTemporaryFile(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'store-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return path.join(directory, 'store.db');
}
