import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findOnPath } from '../../src/main/tools/find-on-path.ts';
import { createScratchFolder } from './scratch-folder.ts';

/** Creates a PATH that contains only the given shell scripts and the programs that they need. */
export async function createPathWith(scripts: Record<string, string>): Promise<string> {
  const folder = join(await createScratchFolder(), 'bin');
  await mkdir(folder);
  for (const name of ['sh', 'cp', 'mkdir', 'cat', 'true', 'touch', 'sleep']) {
    const installed = await findOnPath(name, process.env);
    if (installed !== undefined) await symlink(installed, join(folder, name));
  }
  for (const [name, body] of Object.entries(scripts)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${body}\n`);
    await chmod(join(folder, name), 0o755);
  }
  return folder;
}
