import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { generatedFiles } from './generated-files.ts';

for (const [file, text] of generatedFiles()) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
