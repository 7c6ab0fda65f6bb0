import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { generatedFiles } from '../../src/main/generated-files.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('has been run since the schemas changed last: "npm run generate" mends it', async () => {
  const files = generatedFiles();
  const folders = new Set([...files.keys()].map(dirname));
  for (const folder of folders) {
    const there = (await readdir(join(root, folder))).map((name) => `${folder}/${name}`);
    expect(there.toSorted()).toEqual([...files.keys()].filter((file) => dirname(file) === folder).toSorted());
  }
  for (const [file, text] of files) expect(await readFile(join(root, file), 'utf8'), file).toBe(text);
});
