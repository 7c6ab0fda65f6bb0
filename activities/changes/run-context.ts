import type { Codehost, OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { branchViolation } from '../../src/rules/changes/branch-violation.ts';
import { type AgentWorkflowRun, AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { resolveRunRepo } from '../../src/rules/changes/resolve-run-repo.ts';
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
  /** The ref of the run's code, which for a fork is the read-only ref of its pull request. */
  gitRef: string;
  /** The ref that the run pushes to. It differs from `gitRef` until the first commit to a branch of the run's own. */
  pushRef: string;
  /** The branch was created by the run, and so was its pull request. */
  isOwnBranch: boolean;
  /** The branch that the run's branch is merged into; undefined for the default branch. */
  baseBranch?: string;
  /** Set when the run's target is a pull request. */
  targetPullRequest?: TargetPullRequest;
};

/** A pull request that a person opened and that a run works on. */
export type TargetPullRequest = {
  number: number;
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
  const repo = resolveRunRepo(run, product);
  const context = { org: ref.org, run, host: await codehost.forOrg(ref.org), repo };
  const number = findTargetPullRequest(run.spec.target);
  return number === undefined
    ? { ...context, ...ownBranch(ref.run) }
    : { ...context, ...(await resolveTargetBranch(context, number)) };
}

type RunBranch = Pick<RunContext, 'branch' | 'gitRef' | 'pushRef' | 'isOwnBranch' | 'baseBranch' | 'targetPullRequest'>;

function ownBranch(run: string): RunBranch {
  const gitRef = `refs/heads/${runBranch(run)}`;
  return { branch: runBranch(run), gitRef, pushRef: gitRef, isOwnBranch: true };
}

/**
 * A run on a pull request commits to its head, unless commits reach it only by a review. Then the run reads the
 * head, and commits to a branch of its own with a pull request to that head. Once it exists, the run stays on it.
 */
async function resolveTargetBranch(
  { host, repo, run }: Pick<RunContext, 'host' | 'repo' | 'run'>,
  number: number,
): Promise<RunBranch> {
  const { headBranch, headRepo, baseBranch } = await host.getPullRequest(repo, number);
  const isFork = headRepo?.toLowerCase() !== repo.toLowerCase();
  const targetPullRequest = { number, isFork };
  const gitRef = isFork ? `refs/pull/${number}/head` : `refs/heads/${headBranch}`;
  const target = { branch: headBranch, gitRef, pushRef: gitRef, isOwnBranch: false, baseBranch, targetPullRequest };
  if (isFork) return target;
  const own = ownBranch(run.metadata.name);
  if ((await host.findBranchHead(repo, own.branch)) !== undefined)
    return { ...own, baseBranch: headBranch, targetPullRequest };
  const violation = branchViolation(headBranch, await host.getBranchFacts(repo, headBranch));
  return violation === undefined ? target : { ...target, branch: own.branch, pushRef: own.pushRef };
}
