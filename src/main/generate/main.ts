import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { generateFiles } from './generate-files.ts';

for (const [file, text] of await generateFiles()) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
