import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDemoState } from '../../../src/clients/demo/demo-state.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

it('begins empty without a file, and fails for one that cannot be read, which a save would replace', async () => {
  const folder = await createScratchFolder();
  expect((await openDemoState(join(folder, 'demo.json'))).values).toEqual({ products: {}, changes: {} });
  await mkdir(join(folder, 'unreadable.json'));
  await expect(openDemoState(join(folder, 'unreadable.json'))).rejects.toThrow('EISDIR');
});

it('names a damaged file, and how to go on without it', async () => {
  const file = join(await createScratchFolder(), 'demo.json');
  await writeFile(file, '{"token": "a-sec');
  const opened = openDemoState(file);
  await expect(opened).rejects.toThrow(
    new Error(`${file} is damaged. Delete it, and pass an API token of the root user in DEMO_TOKEN.`),
  );
});
