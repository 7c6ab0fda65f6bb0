import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openCheckout, type Checkout } from '../../../src/integrations/git/checkout.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const commitDate = '2026-01-02T03:04:05Z';

export async function writeFiles({ workingTree }: Checkout, files: Record<string, string | Buffer>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(workingTree, path)), { recursive: true });
    await writeFile(join(workingTree, path), content);
  }
}

/** Opens a checkout at an empty commit, which needs no code host. */
export async function openEmptyCheckout(): Promise<{ checkout: Checkout; start: string }> {
  const checkout = await openCheckout({
    folder: await createScratchFolder(),
    getRemote: async () => await Promise.reject(new Error('No code host is needed.')),
  });
  const start = await checkout.commit({ message: 'Start', parents: [], commitDate });
  await checkout.reset(start);
  return { checkout, start };
}

/** Commits the files on the parents, of which the first is checked out before. */
export async function commitFiles(
  checkout: Checkout,
  {
    parents,
    files,
    message = 'Change',
  }: { parents: [string, ...string[]]; files: Record<string, string>; message?: string },
): Promise<string> {
  await checkout.reset(parents[0]);
  await writeFiles(checkout, files);
  await checkout.stage();
  return await checkout.commit({ message, parents, commitDate });
}
