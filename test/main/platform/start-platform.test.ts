import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startPlatform } from '../../../src/main/platform/start-platform.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

it('rejects the data directory of another version before it opens anything in it', async () => {
  const dataDir = await createScratchFolder();
  await writeFile(join(dataDir, 'format'), '0\n');
  await writeFile(join(dataDir, 'store.sqlite'), 'written by another version');
  const messages: string[] = [];
  const options = { port: 8080, dataDir, environment: {}, onProgress: (message: string) => messages.push(message) };
  await expect(startPlatform(options)).rejects.toThrow(
    /was written by another version of the service .*Delete or move it to start over/,
  );
  expect(messages).toEqual([]);
  expect(await readdir(dataDir)).toEqual(['format', 'store.sqlite']);
});
