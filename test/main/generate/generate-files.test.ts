import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { generateFiles } from '../../../src/main/generate/generate-files.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

it('matches the generated files; run "npm run generate" after a change of the schemas', async () => {
  const files = await generateFiles();
  // The other files of `deploy` are written by hand.
  const folders = new Set([...files.keys()].map(dirname).filter((folder) => folder !== 'deploy'));
  for (const folder of folders) {
    const existing = (await readdir(join(root, folder))).map((name) => `${folder}/${name}`);
    expect(existing.toSorted()).toEqual([...files.keys()].filter((file) => dirname(file) === folder).toSorted());
  }
  for (const [file, text] of files) expect(await readFile(join(root, file), 'utf8'), file).toBe(text);
});
