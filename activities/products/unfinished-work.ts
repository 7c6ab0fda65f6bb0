import { isReleaseFinished } from '../../src/rules/access/release-actions.ts';
import { isRunFinished } from '../../src/rules/access/run-actions.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { runAgentWorkflowId, toRunOrigin } from '../../src/rules/changes/run-workflow-id.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { promoteReleaseId } from '../../src/rules/releases/promote-release-id.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** Lists the unfinished runs and Releases of an org, or of one of its Products, with their workflows. */
export async function listUnfinishedWork(
  store: Store,
  { org, product }: { org: string; product?: string },
): Promise<{ name: string; workflowId: string }[]> {
  const scope = { namespace: orgNamespace(org), ...(product !== undefined && { fields: { 'spec.product': product } }) };
  const { items: runs } = await store.list(AgentWorkflowRunKind, scope);
  const { items: releases } = await store.list(ReleaseKind, scope);
  return [
    ...runs
      .filter((run) => !isRunFinished(run))
      .map((run) => ({ name: run.metadata.name, workflowId: runAgentWorkflowId(toRunOrigin(run, org)) })),
    ...releases
      .filter((release) => !isReleaseFinished(release))
      .map(({ metadata, spec }) => ({ name: metadata.name, workflowId: promoteReleaseId({ ...spec, org }) })),
  ];
}
