import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** Where a test may put a store of its own; it is gone when the test is done. */
export async function temporaryFile(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'store-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return path.join(directory, 'store.db');
}
