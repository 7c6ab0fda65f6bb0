import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeTree } from '../../src/processes/remove-tree.ts';

it('removes a folder without permissions and with a path that is too long', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'remove-'));
  await mkdir(join(folder, 'closed'));
  await writeFile(join(folder, 'closed', 'file.txt'), 'x');
  await chmod(join(folder, 'closed'), 0);
  const nest = `for (let i = 0; i < 600; i++) { fs.mkdirSync('dddddddddd'); process.chdir('dddddddddd') }`;
  execFileSync(process.execPath, ['-e', nest], { cwd: folder });
  await removeTree(folder);
  expect(existsSync(folder)).toBe(false);
  await removeTree(folder);
});
