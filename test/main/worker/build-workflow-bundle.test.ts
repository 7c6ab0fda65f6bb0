import { readFile } from 'node:fs/promises';
import { join, matchesGlob, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { expect, it } from 'vitest';
import { sourcePatterns } from '../../../src/main/worker/build-workflow-bundle.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Follows the relative imports of a file that exist at run time. */
async function collectSources(file: string, found: Set<string>): Promise<Set<string>> {
  if (found.has(file)) return found;
  found.add(file);
  const { module } = parseSync(file, await readFile(join(root, file), 'utf8'));
  const imported = module.staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value);
  const exported = module.staticExports.flatMap(({ entries }) =>
    entries.filter(({ isType }) => !isType).flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
  );
  for (const specifier of [...imported, ...exported])
    if (specifier.startsWith('.')) await collectSources(posix.join(posix.dirname(file), specifier), found);
  return found;
}

it('includes every file that workflows import in the fingerprint', async () => {
  const sources = await collectSources('workflows/index.ts', new Set());
  await collectSources('workflows/failure-converter.ts', sources);
  expect(sources.size).toBeGreaterThan(20);
  const missing = [...sources].filter((file) => !sourcePatterns.some((pattern) => matchesGlob(file, pattern)));
  expect(missing).toEqual([]);
});
