import { ServiceError } from '../../src/errors.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import type { Codehost, MergeOutcome, PullRequest } from '../../src/integrations/codehost/codehost.ts';
import type { DecisionJudge } from '../../src/rules/access/decisions.ts';
import { buildSquashMessage } from '../../src/rules/changes/build-squash-message.ts';
import {
  type AgentWorkflowRun,
  AgentWorkflowRunKind,
  type RunStatus,
  type Verdict,
} from '../../src/rules/changes/kinds.ts';
import { runBranch } from '../../src/rules/changes/run-names.ts';
import type { RunPatch } from '../../src/rules/changes/run-patch.ts';
import { createRunStatus, patchRunStatus } from '../../src/rules/changes/run-status.ts';
import { matchesTruncated } from '../../src/rules/changes/truncate-verdict.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { findLastVerdict } from '../agents/transcript.ts';
import { assertApproved } from './assert-approved.ts';
import { createRun, type OpenRunInput } from './create-run.ts';
import { postReviews } from './post-reviews.ts';
import { findCommitters } from './find-committers.ts';
import { getRunContext, type RunContext } from './run-context.ts';

export type ChangeDeps = {
  store: Store;
  codehost: Codehost;
  blobs: Blobs;
  decisions: DecisionJudge;
  now: () => Date;
};
export type RunRef = { org: string; run: string };
export type { OpenRunInput } from './create-run.ts';

/** The facts that the workflow decides on; texts stay in the store. */
export type OpenedRun = Pick<AgentWorkflowRun['spec'], 'steps' | 'roles'> & {
  status: NonNullable<AgentWorkflowRun['status']>;
};

/** The issue of a run, and its pull request and the base of that when the target is one. */
export type TargetFacts = NonNullable<RunStatus['issue']> & Pick<RunStatus, 'pullRequest' | 'baseBranch'>;

/** The code host computes `mergeable` in the background; `unknown` means not yet. */
export type PullRequestFacts = {
  number: number;
  url: string;
  headSha: string;
  state: 'open' | 'closed';
  mergeable: 'yes' | 'conflicted' | 'unknown';
  /** Both are absent in what a worker of an earlier version returned. */
  baseBranch?: string;
  isMerged?: boolean;
};

/** `nonDefaultBranch` is the branch that received the merge, when it is not the default branch of the repo. */
type MergeResult =
  | (MergeOutcome & { nonDefaultBranch?: string })
  /** The pull request would be merged into another branch than the one that people approved it for. */
  | { outcome: 'retargeted'; message: string };
type MergeInput = RunRef & { headSha: string; baseBranch?: string };

export function createChangeActivities({ store, codehost, blobs, decisions, now }: ChangeDeps) {
  const toRef = ({ org, run }: RunRef) => ({ namespace: orgNamespace(org), name: run });
  const getContext = async (ref: RunRef) => await getRunContext({ store, codehost }, ref);

  return {
    /** Creates the run, or finds the one that an earlier attempt created. */
    openRun: async (input: OpenRunInput): Promise<OpenedRun> => {
      const existing = await store.find(AgentWorkflowRunKind, toRef(input));
      const run = existing ?? (await createRun(input, { store, blobs }));
      if (run.status) return { steps: run.spec.steps, roles: run.spec.roles, status: run.status };
      const status = createRunStatus(run.spec.steps, now().toISOString());
      await store.updateStatus(AgentWorkflowRunKind, toRef(input), () => status);
      return { steps: run.spec.steps, roles: run.spec.roles, status };
    },

    recordRun: async ({ patch, ...ref }: RunRef & { patch: RunPatch }): Promise<void> => {
      const fullPatch = await withFullVerdicts(patch, async (step) => {
        const { metadata } = await store.get(AgentWorkflowRunKind, toRef(ref));
        return await findLastVerdict(blobs, metadata.uid, step);
      });
      await store.updateStatus(
        AgentWorkflowRunKind,
        toRef(ref),
        ({ status }) => status && patchRunStatus(status, fullPatch),
      );
    },

    /** Records the accounts behind the commits of a head, so that none of them approves it. */
    recordCommitters: async ({ headSha, ...ref }: RunRef & { headSha: string }): Promise<void> => {
      const committers = await findCommitters(blobs, await getContext(ref), headSha);
      await store.updateStatus(AgentWorkflowRunKind, toRef(ref), ({ status }) => status && { ...status, committers });
    },

    /** Reads the issue from the code host, because events can arrive late and out of order. */
    readTarget: async (ref: RunRef): Promise<TargetFacts | undefined> => {
      const { run, host, repo, targetPullRequest } = await getContext(ref);
      if (!run.spec.target) return undefined;
      const { title, url, author } = await host.getIssue(repo, run.spec.target.number);
      const issue = { title: title.slice(0, 300), url, author };
      if (!targetPullRequest) return issue;
      const pull = await host.getPullRequest(repo, targetPullRequest.number);
      if (pull.state === 'closed') {
        const state = pull.merged ? 'merged' : 'closed';
        throw new ServiceError(
          'pull-request-closed',
          `Pull request #${targetPullRequest.number} of ${repo} is already ${state}.`,
        );
      }
      const pullRequest = { number: pull.number, url: pull.url, headSha: pull.headSha };
      return { ...issue, pullRequest, baseBranch: pull.baseBranch };
    },

    openPullRequest: async (ref: RunRef): Promise<PullRequestFacts> => {
      const context = await getContext(ref);
      return toPullRequestFacts(await (context.isOwnBranch ? openPullRequest(context) : getPullRequest(context)));
    },

    readPullRequest: async (ref: RunRef): Promise<PullRequestFacts> =>
      toPullRequestFacts(await getPullRequest(await getContext(ref))),

    /** Opens another pull request for the commits that the run has made after a person merged its earlier one. */
    markPullRequestReady: async (ref: RunRef): Promise<PullRequestFacts> => {
      const context = await getContext(ref);
      const { host, repo, isOwnBranch, branch } = context;
      const found = await getPullRequest(context);
      // The author of a target pull request decides when it is ready, until a person approves its merge.
      if (!isOwnBranch) return toPullRequestFacts(found);
      const head = found.merged ? await host.findBranchHead(repo, branch) : undefined;
      const pull = head === undefined || head === found.headSha ? found : await openPullRequest(context);
      await host.markReadyForReview(repo, pull);
      await postReviews(blobs, context, pull);
      return toPullRequestFacts(pull);
    },

    /** Merges only what people approved through the API, whatever the workflow was told. */
    mergePullRequest: async ({ headSha, baseBranch: approvedBase, ...ref }: MergeInput): Promise<MergeResult> => {
      const context = await getContext(ref);
      const { run, host, repo } = context;
      await assertApproved(decisions, ref.org, run);
      const pull = await getPullRequest(context);
      if (approvedBase !== undefined && pull.state === 'open' && pull.baseBranch !== approvedBase)
        return {
          outcome: 'retargeted',
          message: `Pull request #${pull.number} merges into "${pull.baseBranch}" now, not into "${approvedBase}".`,
        };
      const { title, body } = buildSquashMessage(run);
      // It is still a draft when it was closed during markPullRequestReady and reopened since.
      await host.markReadyForReview(repo, pull);
      const merge = await host.mergePullRequest(repo, {
        number: pull.number,
        headSha,
        title: `${title} (#${pull.number})`,
        message: body,
      });
      if (merge.outcome !== 'merged') return merge;
      // People can change the base of a pull request until its merge.
      const [{ baseBranch }, { defaultBranch }] = await Promise.all([
        host.getPullRequest(repo, pull.number),
        host.getRepository(repo),
      ]);
      return baseBranch === defaultBranch ? merge : { ...merge, nonDefaultBranch: baseBranch };
    },

    /** Merges the base into the head, when the rules of the base branch require that before the merge. */
    updatePullRequestBranch: async ({ headSha, ...ref }: RunRef & { headSha: string }): Promise<void> => {
      const context = await getContext(ref);
      await assertApproved(decisions, ref.org, context.run);
      const { number } = await getPullRequest(context);
      await context.host.updatePullRequestBranch(context.repo, { number, headSha });
    },

    /** Closes the pull request and deletes the branch that the run created, and never those of its target. */
    closePullRequest: async (ref: RunRef): Promise<void> => {
      const { host, repo } = await getContext(ref);
      const pull = await host.findPullRequest(repo, runBranch(ref.run));
      if (pull?.state === 'open') await host.closePullRequest(repo, pull.number);
      await host.deleteBranch(repo, runBranch(ref.run));
    },

    /** Deletes the branch of a merged run, unless it has commits that a person left out by merging an earlier head. */
    deleteRunBranch: async (ref: RunRef): Promise<void> => {
      const { host, repo } = await getContext(ref);
      const branch = runBranch(ref.run);
      const [head, pull] = await Promise.all([host.findBranchHead(repo, branch), host.findPullRequest(repo, branch)]);
      if (head === undefined || !pull || head === pull.headSha) await host.deleteBranch(repo, branch);
    },

    /** Returns the repo that receives the run's merge and that the Release is built from. */
    readRunRepo: async (ref: RunRef): Promise<string> => (await getContext(ref)).repo,
  };
}

/** Histories contain truncated verdicts only; the full one is read from the transcript. */
async function withFullVerdicts(
  patch: RunPatch,
  findVerdict: (step: string) => Promise<Verdict | undefined>,
): Promise<RunPatch> {
  if (!patch.steps?.some(({ verdict }) => verdict)) return patch;
  const steps = patch.steps.map(async (step) => {
    const last = step.verdict && (await findVerdict(step.name));
    return step.verdict && last && matchesTruncated(step.verdict, last) ? { ...step, verdict: last } : step;
  });
  return { ...patch, steps: await Promise.all(steps) };
}

const openPullRequest = async ({ run, host, repo, branch, baseBranch }: RunContext): Promise<PullRequest> =>
  await host.openPullRequest(repo, {
    headBranch: branch,
    baseBranch: baseBranch ?? (await host.getRepository(repo)).defaultBranch,
    draft: true,
    ...buildSquashMessage(run),
  });

async function getPullRequest(context: RunContext): Promise<PullRequest> {
  const { host, repo, run, isOwnBranch, targetPullRequest } = context;
  if (targetPullRequest && !isOwnBranch) return await host.getPullRequest(repo, targetPullRequest.number);
  const { name } = run.metadata;
  const pull = await host.findPullRequest(repo, runBranch(name));
  if (!pull)
    throw new ServiceError(
      'pull-request-missing',
      `The run "${name}" has no pull request in ${repo}, or it was deleted. Start the run again.`,
    );
  return pull;
}

const toPullRequestFacts = (pull: PullRequest): PullRequestFacts => {
  const { number, url, headSha, state, merged: isMerged, mergeable, baseBranch } = pull;
  return { number, url, headSha, state, isMerged, mergeable, baseBranch };
};
