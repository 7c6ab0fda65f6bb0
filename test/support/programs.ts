import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { findOnPath } from '../../src/main/tools/find-on-path.ts';

/** A folder of the test's own, gone when it ends. */
export async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A PATH with nothing on it but these shell scripts and what shell scripts need. */
export async function pathWith(scripts: Record<string, string>): Promise<string> {
  const folder = join(await scratchFolder(), 'bin');
  await mkdir(folder);
  for (const name of ['sh', 'cp', 'mkdir', 'cat', 'true', 'touch', 'sleep']) {
    const real = await findOnPath(name, process.env);
    if (real !== undefined) await symlink(real, join(folder, name));
  }
  for (const [name, body] of Object.entries(scripts)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${body}\n`);
    await chmod(join(folder, name), 0o755);
  }
  return folder;
}
