import { findPlace, type RunPlace } from './agents/assignment.ts';
import { lastVerdict } from './agents/transcript.ts';
import { createOrGet } from './create-or-get.ts';
import type { Codehost, MergeOutcome, PullRequest } from '../src/integrations/codehost/codehost.ts';
import { invalid, ServiceError } from '../src/errors.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../src/rules/agents/kinds.ts';
import { ProductKind } from '../src/rules/catalog/kinds.ts';
import { isBriefOf } from '../src/rules/changes/brief-verdict.ts';
import {
  type AgentWorkflowRun,
  AgentWorkflowRunKind,
  type RunCause,
  type RunStatus,
  type RunTarget,
  type Verdict,
} from '../src/rules/changes/kinds.ts';
import { runBranch, workflowIdAnnotation } from '../src/rules/changes/run-names.ts';
import { type RunPatch, newRunStatus, patchRunStatus } from '../src/rules/changes/run-status.ts';
import { ReleaseKind } from '../src/rules/releases/kinds.ts';
import { orgNamespace } from '../src/rules/resource.ts';
import { squashMessage } from '../src/rules/changes/squash-message.ts';
import type { Blobs } from '../src/integrations/blobs/blobs.ts';
import type { Store } from '../src/store/store.ts';

export type ChangeDeps = { store: Store; codehost: Codehost; blobs: Blobs; now: () => Date };
export type RunRef = { org: string; run: string };

export type OpenRun = RunRef & {
  agentWorkflow: string;
  product: string;
  target?: RunTarget;
  release?: string;
  instructionsKey?: string;
  startedBy: string;
  cause?: RunCause;
  workflowId: string;
};
/** What the workflow decides on; texts stay in the store. */
export type OpenedRun = Pick<AgentWorkflowRun['spec'], 'steps' | 'roles'> & {
  status: NonNullable<AgentWorkflowRun['status']>;
};

/** What a run is about; the pull request where it was given one. */
export type TargetFacts = NonNullable<RunStatus['issue']> & Pick<RunStatus, 'pullRequest'>;

/** Where a pull request stands; `mergeable` unknown decides nothing. */
export type PullRequestFacts = {
  number: number;
  url: string;
  headSha: string;
  state: 'open' | 'closed';
  mergeable: 'yes' | 'conflicted' | 'unknown';
};

export function createChangeActivities({ store, codehost, blobs, now }: ChangeDeps) {
  const ref = ({ org, run }: RunRef) => ({ namespace: orgNamespace(org), name: run });
  const at = async (input: RunRef) => await findPlace({ store, codehost }, input);

  return {
    /** Creates the run with the steps and AgentRoles as they are now, or finds the one this start had created. */
    openRun: async (input: OpenRun): Promise<OpenedRun> => {
      const existing = await store.find(AgentWorkflowRunKind, ref(input));
      const run = existing ?? (await createRun(input, { store, blobs }));
      if (run.status) return { steps: run.spec.steps, roles: run.spec.roles, status: run.status };
      const status = newRunStatus(run.spec.steps, now().toISOString());
      await store.updateStatus(AgentWorkflowRunKind, ref(input), () => status);
      return { steps: run.spec.steps, roles: run.spec.roles, status };
    },

    recordRun: async ({ patch, ...input }: RunRef & { patch: RunPatch }): Promise<void> => {
      const whole = await withWholeVerdicts(patch, async (step) => {
        const { metadata } = await store.get(AgentWorkflowRunKind, ref(input));
        return await lastVerdict(blobs, metadata.uid, step);
      });
      await store.updateStatus(
        AgentWorkflowRunKind,
        ref(input),
        ({ status }) => status && patchRunStatus(status, whole),
      );
    },

    /** Reads the issue again from the code host, since events may come late and out of order. */
    readTarget: async (input: RunRef): Promise<TargetFacts | undefined> => {
      const { run, host, repo, given } = await at(input);
      if (!run.spec.target) return undefined;
      const { title, url, author } = await host.issue(repo, run.spec.target.number);
      const issue = { title: title.slice(0, 300), url, author };
      if (!given) return issue;
      const pull = await host.pullRequest(repo, given.number);
      if (pull.state === 'closed') {
        const how = pull.merged ? 'merged' : 'closed';
        throw new ServiceError('conflict', `Pull request #${given.number} of ${repo} is ${how} already.`);
      }
      return { ...issue, pullRequest: { number: pull.number, url: pull.url, headSha: pull.headSha } };
    },

    openPullRequest: async (input: RunRef): Promise<PullRequestFacts> => {
      const place = await at(input);
      const { run, host, repo } = place;
      if (place.given) return factsOf(await pullRequestOf(place));
      const { defaultBranch } = await host.repository(repo);
      const pull = await host.openPullRequest(repo, {
        headBranch: runBranch(input.run),
        baseBranch: defaultBranch,
        draft: true,
        ...squashMessage(run),
      });
      return factsOf(pull);
    },

    readPullRequest: async (input: RunRef): Promise<PullRequestFacts> => {
      return factsOf(await pullRequestOf(await at(input)));
    },

    markPullRequestReady: async (input: RunRef): Promise<PullRequestFacts> => {
      const place = await at(input);
      const pull = await pullRequestOf(place);
      // Whether somebody's own is ready is theirs to say, until a person approves its merge.
      if (!place.given) await place.host.markReady(pull);
      return factsOf(pull);
    },

    mergePullRequest: async (input: RunRef & { headSha: string }): Promise<MergeOutcome & { beside?: string }> => {
      const place = await at(input);
      const { run, host, repo } = place;
      const pull = await pullRequestOf(place);
      const { title, body } = squashMessage(run);
      // It still is a draft when it was closed, and open again since, at the time that it was to be marked.
      await host.markReady(pull);
      const merge = await host.merge(repo, {
        number: pull.number,
        headSha: input.headSha,
        title: `${title} (#${pull.number})`,
        message: body,
      });
      const isBeside = place.given && pull.baseBranch !== (await host.repository(repo)).defaultBranch;
      return isBeside ? { ...merge, beside: pull.baseBranch } : merge;
    },

    /** Takes back what a run that did not end in a merge left on the code host: what is on a branch of its own, so never what it was given. */
    closePullRequest: async (input: RunRef): Promise<void> => {
      const { host, repo } = await at(input);
      const pull = await host.findPullRequest(repo, runBranch(input.run));
      if (pull?.state === 'open') await host.closePullRequest(repo, pull.number);
      await host.deleteBranch(repo, runBranch(input.run));
    },

    deleteRunBranch: async (input: RunRef): Promise<void> => {
      const { host, repo } = await at(input);
      await host.deleteBranch(repo, runBranch(input.run));
    },

    /** The repo a run's merge goes to, which its Release is cut from. */
    readRunRepo: async (input: RunRef): Promise<string> => (await at(input)).repo,
  };
}

async function createRun(
  input: OpenRun,
  { store, blobs }: Pick<ChangeDeps, 'store' | 'blobs'>,
): Promise<AgentWorkflowRun> {
  const namespace = orgNamespace(input.org);
  const { spec } = await store.get(AgentWorkflowKind, { namespace, name: input.agentWorkflow });
  const product = await store.get(ProductKind, { namespace, name: input.product });
  const names = new Set(spec.steps.flatMap((step) => (step.type === 'agent' ? [step.role] : [])));
  const roles = await Promise.all(
    [...names].map(async (name) => [name, (await store.get(AgentRoleKind, { namespace, name })).spec] as const),
  );
  const instructions = input.instructionsKey && (await blobs.find(input.instructionsKey));
  return await createOrGet(store, AgentWorkflowRunKind, {
    metadata: {
      namespace,
      name: input.run,
      annotations: { [workflowIdAnnotation]: input.workflowId },
      ownerReferences: [
        { apiVersion: product.apiVersion, kind: product.kind, name: product.metadata.name, uid: product.metadata.uid },
      ],
    },
    spec: {
      agentWorkflow: input.agentWorkflow,
      product: input.product,
      ...(input.target ? { target: input.target } : {}),
      ...(input.release === undefined ? {} : { release: await cutRelease(store, namespace, input.release) }),
      ...(instructions ? { instructions: Buffer.from(instructions).toString('utf8') } : {}),
      startedBy: input.startedBy,
      ...(input.cause ? { cause: input.cause } : {}),
      steps: spec.steps,
      roles: Object.fromEntries(roles),
      ...(spec.limits ? { limits: spec.limits } : {}),
    },
  });
}

async function cutRelease(store: Store, namespace: string, name: string): Promise<AgentWorkflowRun['spec']['release']> {
  const { spec } = await store.get(ReleaseKind, { namespace, name });
  return { name, version: spec.version, repo: spec.repo };
}

/** Workflows know verdicts in brief; the turn that has just ended holds the whole one. */
async function withWholeVerdicts(
  patch: RunPatch,
  lastOf: (step: string) => Promise<Verdict | undefined>,
): Promise<RunPatch> {
  if (!patch.steps?.some(({ verdict }) => verdict)) return patch;
  const steps = patch.steps.map(async (step) => {
    const last = step.verdict && (await lastOf(step.name));
    return step.verdict && last && isBriefOf(step.verdict, last) ? { ...step, verdict: last } : step;
  });
  return { ...patch, steps: await Promise.all(steps) };
}

async function pullRequestOf({ host, repo, run, given }: RunPlace): Promise<PullRequest> {
  if (given) return await host.pullRequest(repo, given.number);
  const { name } = run.metadata;
  const pull = await host.findPullRequest(repo, runBranch(name));
  if (!pull)
    throw invalid(`The run "${name}" has no pull request in ${repo}: somebody removed it. Start the run again.`);
  return pull;
}

function factsOf({ number, url, headSha, state, mergeable }: PullRequestFacts): PullRequestFacts {
  return { number, url, headSha, state, mergeable };
}
