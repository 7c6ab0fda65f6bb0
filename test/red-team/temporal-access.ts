import { join } from 'node:path';
import { readTls, toCredentials } from '../../src/main/temporal/server-credentials.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { workflowIdAnnotation } from '../../src/rules/changes/run-names.ts';
import type { World } from './world.ts';

export const credentialsDir = ({ dataDir }: World): string => join(dataDir, 'temporal', 'credentials');
/** The credentials of the service itself at the Temporal server. */
export const readOwnTls = async (world: World) => await readTls(toCredentials(credentialsDir(world)));

/** Returns the id of the workflow of a run of acme. */
export async function findWorkflowId({ withStore }: World, run: string): Promise<string> {
  const { metadata } = await withStore(
    async (store) => await store.get(AgentWorkflowRunKind, { namespace: 'org-acme', name: run }),
  );
  return metadata.annotations?.[workflowIdAnnotation] ?? '';
}
