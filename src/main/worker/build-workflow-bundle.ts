import { rename, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { createPackageCache } from '../tools/install/create-package-cache.ts';
import { hashFiles } from '../tools/install/hash-files.ts';
import { failureConverterPath } from '../temporal/data-converter.ts';

type BundleVariant = { encrypted?: boolean; traced?: boolean };

const logInterceptors = fileURLToPath(new URL('../../../workflows/log-attributes.ts', import.meta.url));
const tracingInterceptors = '@temporalio/interceptors-opentelemetry-v2/lib/workflow-interceptors.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Bundles the workflows into one file of code, cached with the packages by the hash of their sources. */
export async function buildWorkflowBundle(
  onProgress: (message: string) => void,
  { encrypted = false, traced = false }: BundleVariant = {},
): Promise<{ codePath: string }> {
  const folder = join(root, 'node_modules', '.cache', 'workflows');
  const variant = `${encrypted ? '-encrypted' : ''}${traced ? '-traced' : ''}`;
  const codePath = join(folder, `${await hashFiles(root, sourcePatterns)}${variant}.js`);
  if (await stat(codePath).catch(() => undefined)) return { codePath };
  await createPackageCache(folder);
  onProgress('Bundling the workflows (once for each version)…');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows', 'index.ts'),
    ...(encrypted && { failureConverterPath }),
    workflowInterceptorModules: [
      ...(traced ? [createRequire(import.meta.url).resolve(tracingInterceptors)] : []),
      logInterceptors,
    ],
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error: (message) => onProgress(message) },
  });
  // Another process may build the same bundle at the same time, so a rename replaces it with equal bytes.
  await writeFile(`${codePath}.${process.pid}`, code);
  await rename(`${codePath}.${process.pid}`, codePath);
  return { codePath };
}

/** Every file that a workflow may import. A missing pattern would let a worker load a stale bundle. */
export const sourcePatterns = [
  'workflows/**/*.ts',
  'src/rules/**/*.ts',
  'src/kinds/**/*.ts',
  'src/{errors,defined,keyed-queue}.ts',
  'package-lock.json',
];
