import { createHash } from 'node:crypto';
import { glob, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { failureConverterPath } from './temporal/data-converter.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The workflows as one file of code, built once for each state of their sources and kept with the packages. */
export async function workflowBundle(
  onProgress: (message: string) => void,
  { sealed = false }: { sealed?: boolean } = {},
): Promise<{ codePath: string }> {
  const folder = join(root, 'node_modules', '.cache', 'workflows');
  const codePath = join(folder, `${await fingerprint()}${sealed ? '-sealed' : ''}.js`);
  if (await stat(codePath).catch(() => undefined)) return { codePath };
  onProgress('Bundling the workflows (once for each version)…');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows', 'index.ts'),
    ...(sealed && { failureConverterPath }),
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error: (message) => onProgress(message) },
  });
  await mkdir(folder, { recursive: true });
  // Another process may be building the same: whoever is last replaces it by the same bytes.
  await writeFile(`${codePath}.${process.pid}`, code);
  await rename(`${codePath}.${process.pid}`, codePath);
  return { codePath };
}

async function fingerprint(): Promise<string> {
  const files = await Array.fromAsync(
    glob(['workflows/**/*.ts', 'src/rules/**/*.ts', 'package-lock.json'], { cwd: root }),
  );
  const hash = createHash('sha256');
  for (const file of files.toSorted())
    hash
      .update(file)
      .update('\0')
      .update(await readFile(join(root, file)));
  return hash.digest('hex').slice(0, 32);
}
