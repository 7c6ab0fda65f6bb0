import { ServiceError } from '../../src/errors.ts';
import type { Codehost, OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { type AgentWorkflowRun, AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { findTargetPullRequest, runBranch } from '../../src/rules/changes/run-names.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** A run with the repo and branch that hold its code. */
export type RunContext = {
  org: string;
  run: AgentWorkflowRun;
  host: OrgCodehost;
  repo: string;
  branch: string;
  /** The ref of the run's commits, which for a fork is the read-only ref of its pull request. */
  gitRef: string;
  /** Set when the run's target is a pull request. */
  targetPullRequest?: TargetPullRequest;
};

/** A pull request that a person opened and that a run works on. */
export type TargetPullRequest = {
  number: number;
  baseBranch: string;
  /** The branch is in another repo, which the service cannot push to. */
  isFork: boolean;
};

export type RunContextDeps = { store: Store; codehost: Codehost };

export async function getRunContext(
  { store, codehost }: RunContextDeps,
  ref: { org: string; run: string },
): Promise<RunContext> {
  const namespace = orgNamespace(ref.org);
  const run = await store.get(AgentWorkflowRunKind, { namespace, name: ref.run });
  const product = await store.get(ProductKind, { namespace, name: run.spec.product });
  const repo = run.spec.target?.repo ?? run.spec.release?.repo ?? product.spec.repos[0];
  if (!repo)
    throw new ServiceError(
      'repo-required',
      `The Product "${run.spec.product}" has no repo. Add one to its spec.repos.`,
    );
  const context = { org: ref.org, run, host: await codehost.forOrg(ref.org), repo };
  const number = findTargetPullRequest(run.spec.target);
  if (number === undefined)
    return { ...context, branch: runBranch(ref.run), gitRef: `refs/heads/${runBranch(ref.run)}` };
  const { headBranch, headRepo, baseBranch } = await context.host.getPullRequest(repo, number);
  const isFork = headRepo?.toLowerCase() !== repo.toLowerCase();
  const gitRef = isFork ? `refs/pull/${number}/head` : `refs/heads/${headBranch}`;
  return { ...context, branch: headBranch, gitRef, targetPullRequest: { number, baseBranch, isFork } };
}
