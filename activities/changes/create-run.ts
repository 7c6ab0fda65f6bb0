import { defined } from '../../src/defined.ts';
import { invalid } from '../../src/errors.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import {
  type AgentWorkflowRun,
  AgentWorkflowRunKind,
  type RunCause,
  type RunTarget,
} from '../../src/rules/changes/kinds.ts';
import { workflowIdAnnotation } from '../../src/rules/changes/run-names.ts';
import { assertOrgActive } from '../../src/rules/orgs/assert-org-active.ts';
import { isGitopsRepo } from '../../src/rules/orgs/is-gitops-repo.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { assertProductActive } from '../../src/rules/products/assert-product-active.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { orgNamespace, ownerReference, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { getOrCreate } from '../get-or-create.ts';

export type OpenRunInput = {
  org: string;
  run: string;
  agentWorkflow: string;
  product: string;
  target?: RunTarget;
  release?: string;
  instructionsKey?: string;
  startedBy: string;
  cause?: RunCause;
  workflowId: string;
};

/** A Product that was written without the API may name a gitops repo until it is rejected. */
async function assertNoGitopsRepo(store: Store, repos: readonly string[]): Promise<void> {
  const { items } = await store.list(OrganizationKind, { namespace: systemNamespace });
  const found = repos.find((repo) => isGitopsRepo(repo, items));
  if (found !== undefined)
    throw invalid(`The repo ${found} is the gitops repo of an org, which only promotions change. Choose another repo.`);
}

/** Creates the run with a copy of the current steps and AgentRoles, so that later edits do not change it. */
export async function createRun(
  input: OpenRunInput,
  { store, blobs }: { store: Store; blobs: Blobs },
): Promise<AgentWorkflowRun> {
  const namespace = orgNamespace(input.org);
  const organization = await store.find(OrganizationKind, { namespace: systemNamespace, name: input.org });
  if (organization) assertOrgActive(organization);
  const { spec } = await store.get(AgentWorkflowKind, { namespace, name: input.agentWorkflow });
  const product = await store.get(ProductKind, { namespace, name: input.product });
  assertProductActive(product);
  const repos = input.target ? [input.target.repo] : product.spec.repos;
  await assertNoGitopsRepo(store, repos);
  const names = new Set(spec.steps.flatMap((step) => (step.type === 'agent' ? [step.role] : [])));
  const roles = await Promise.all(
    [...names].map(async (name) => [name, (await store.get(AgentRoleKind, { namespace, name })).spec] as const),
  );
  const instructions = input.instructionsKey && (await blobs.find(input.instructionsKey));
  return await getOrCreate(store, AgentWorkflowRunKind, {
    metadata: {
      namespace,
      name: input.run,
      annotations: { [workflowIdAnnotation]: input.workflowId },
      ownerReferences: [ownerReference(product)],
    },
    spec: {
      agentWorkflow: input.agentWorkflow,
      product: input.product,
      ...(input.target ? { target: input.target } : {}),
      ...(input.release === undefined ? {} : { release: await getTriggeringRelease(store, namespace, input.release) }),
      // The repos of the Product may be reordered during the run.
      ...(input.target || input.release ? {} : defined({ repo: product.spec.repos[0] })),
      ...(instructions ? { instructions: Buffer.from(instructions).toString('utf8') } : {}),
      startedBy: input.startedBy,
      ...(input.cause ? { cause: input.cause } : {}),
      steps: spec.steps,
      roles: Object.fromEntries(roles),
      ...(spec.limits ? { limits: spec.limits } : {}),
    },
  });
}

async function getTriggeringRelease(
  store: Store,
  namespace: string,
  name: string,
): Promise<AgentWorkflowRun['spec']['release']> {
  const { spec } = await store.get(ReleaseKind, { namespace, name });
  return { name, version: spec.version, repo: spec.repo };
}
