import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { isTerminalRunPhase } from '../../src/rules/changes/run-status.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { removeTree } from '../../src/processes/remove-tree.ts';

type PruneDeps = { store: Store; checkoutsDir: string };

/** Removes the checkouts of runs that have finished. A retried step creates its checkout again. */
export async function pruneCheckouts({ store, checkoutsDir }: PruneDeps): Promise<void> {
  for (const org of await listFolders(checkoutsDir)) {
    for (const run of await listFolders(join(checkoutsDir, org))) {
      const found = await store.find(AgentWorkflowRunKind, { namespace: orgNamespace(org), name: run });
      const isFinished = found === undefined || isTerminalRunPhase(found.status?.phase ?? 'Pending');
      if (isFinished) await removeTree(join(checkoutsDir, org, run));
    }
  }
}

async function listFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
