import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createScratchFolder } from '../scratch-folder.ts';

const program = fileURLToPath(new URL('./lint-openapi.mjs', import.meta.url));

/** Returns the findings of Spectral and Redocly in a document. */
export async function lintOpenApi(tools: string, document: object): Promise<string[]> {
  const file = join(await createScratchFolder(), 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  const { stdout } = await promisify(execFile)(process.execPath, [program, tools, file], { maxBuffer: 64 * 1024 ** 2 });
  return JSON.parse(stdout) as string[];
}
