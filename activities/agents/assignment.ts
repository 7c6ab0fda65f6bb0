import { invalid } from '../../src/errors.ts';
import type { Codehost, OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import type { AgentRoleSpec, AgentStep } from '../../src/rules/agents/kinds.ts';
import { type AgentTool, toolsOf } from '../../src/rules/agents/tools.ts';
import { type AgentLimits, OrganizationKind, ProductKind } from '../../src/rules/catalog/kinds.ts';
import { AgentWorkflowRunKind, type AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import { givenPullRequest, runBranch } from '../../src/rules/changes/run-names.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** A run and where its code is. */
export type RunPlace = {
  org: string;
  run: AgentWorkflowRun;
  host: OrgCodehost;
  repo: string;
  branch: string;
  /** Where its commits are. */
  ref: string;
  /** Set where the run was given a pull request. */
  given?: GivenPullRequest;
};
/** Somebody's pull request that a run is about. */
export type GivenPullRequest = {
  number: number;
  baseBranch: string;
  /** Its branch is in another repo, which the service cannot push to. */
  isFork: boolean;
};
/** What one agent has to do in it. */
export type Assignment = RunPlace & {
  step: AgentStep;
  role: AgentRoleSpec;
  /** What the org allows now, whatever it did when the run started. */
  agents: AgentLimits;
};

export type PlaceDeps = { store: Store; codehost: Codehost };

export async function findPlace({ store, codehost }: PlaceDeps, at: { org: string; run: string }): Promise<RunPlace> {
  const namespace = orgNamespace(at.org);
  const run = await store.get(AgentWorkflowRunKind, { namespace, name: at.run });
  const product = await store.get(ProductKind, { namespace, name: run.spec.product });
  const repo = run.spec.target?.repo ?? run.spec.release?.repo ?? product.spec.repos[0];
  if (!repo) throw invalid(`Product "${run.spec.product}" has no repo: add one to its spec.repos.`);
  const place = { org: at.org, run, host: await codehost.forOrg(at.org), repo };
  const number = givenPullRequest(run.spec.target);
  if (number === undefined) return { ...place, branch: runBranch(at.run), ref: `refs/heads/${runBranch(at.run)}` };
  const { headBranch, headRepo, baseBranch } = await place.host.pullRequest(repo, number);
  const isFork = headRepo?.toLowerCase() !== repo.toLowerCase();
  const ref = isFork ? `refs/pull/${number}/head` : `refs/heads/${headBranch}`;
  return { ...place, branch: headBranch, ref, given: { number, baseBranch, isFork } };
}

export async function findAssignment(
  deps: PlaceDeps,
  at: { org: string; run: string; step: string },
): Promise<Assignment> {
  const place = await findPlace(deps, at);
  const step = place.run.spec.steps.find(({ name }) => name === at.step);
  if (step?.type !== 'agent') throw invalid(`Run "${at.run}" has no agent step "${at.step}".`);
  const role = place.run.spec.roles[step.role];
  if (!role)
    throw invalid(`Run "${at.run}" was started without the AgentRole "${step.role}" of its step "${at.step}".`);
  const organization = await deps.store.find(OrganizationKind, { namespace: systemNamespace, name: at.org });
  return { ...place, step, role, agents: organization?.spec.agents ?? {} };
}

/** The network takes two: an AgentRole that asks for it, and an org that allows it. */
export const hasNetwork = ({ role, agents }: Assignment): boolean =>
  role.network === true && agents.networkAllowed === true;

export const toolsFor = (assignment: Assignment): AgentTool[] =>
  toolsOf(assignment.step, { tools: assignment.role.tools, network: hasNetwork(assignment) });
