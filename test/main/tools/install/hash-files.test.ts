import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hashFiles } from '../../../../src/main/tools/install/hash-files.ts';
import { createScratchFolder } from '../../../support/scratch-folder.ts';

it('changes with the content and the names of the files that match, and with nothing else', async () => {
  const folder = await createScratchFolder();
  await mkdir(join(folder, 'deep'));
  await writeFile(join(folder, 'deep', 'one.ts'), 'a');
  await writeFile(join(folder, 'two.ts'), 'b');
  const first = await hashFiles(folder, ['**/*.ts']);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  await writeFile(join(folder, 'notes.md'), 'c');
  expect(await hashFiles(folder, ['**/*.ts'])).toBe(first);
  await writeFile(join(folder, 'two.ts'), 'bb');
  const changed = await hashFiles(folder, ['**/*.ts']);
  expect(changed).not.toBe(first);
  await rename(join(folder, 'two.ts'), join(folder, 'three.ts'));
  expect(await hashFiles(folder, ['**/*.ts'])).not.toBe(changed);
});
