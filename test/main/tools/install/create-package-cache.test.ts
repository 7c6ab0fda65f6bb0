import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createPackageCache } from '../../../../src/main/tools/install/create-package-cache.ts';
import { createScratchFolder } from '../../../support/scratch-folder.ts';

it('says who can start a program when the folder of the packages cannot be written', async () => {
  const packages = join(await createScratchFolder(), 'node_modules');
  await createPackageCache(join(packages, '.cache', 'ui'));
  await writeFile(join(packages, '.cache', 'workflows'), '');
  await expect(createPackageCache(join(packages, '.cache', 'workflows'))).rejects.toThrow(
    /^The folder .*\/workflows cannot be written \(.*\)\. Start as the user who owns the packages, or let this user/,
  );
});
