import { findPlace } from './agents/assignment.ts';
import { createOrGet } from './create-or-get.ts';
import type { Codehost, MergeOutcome, OrgCodehost } from '../src/integrations/codehost/codehost.ts';
import { invalid } from '../src/errors.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../src/rules/agents/kinds.ts';
import { ProductKind } from '../src/rules/catalog/kinds.ts';
import {
  type AgentWorkflowRun,
  AgentWorkflowRunKind,
  type RunCause,
  type RunTarget,
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
      await store.updateStatus(
        AgentWorkflowRunKind,
        ref(input),
        ({ status }) => status && patchRunStatus(status, patch),
      );
    },

    /** Reads the issue again from the code host, since events may come late and out of order. */
    readTarget: async (input: RunRef): Promise<{ title: string; url: string; author: string } | undefined> => {
      const { run, host, repo } = await at(input);
      if (!run.spec.target) return undefined;
      const { title, url, author } = await host.issue(repo, run.spec.target.number);
      return { title: title.slice(0, 300), url, author };
    },

    openPullRequest: async (input: RunRef): Promise<PullRequestFacts> => {
      const { run, host, repo } = await at(input);
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
      const { host, repo } = await at(input);
      return factsOf(await ownPullRequest(host, repo, input.run));
    },

    markPullRequestReady: async (input: RunRef): Promise<PullRequestFacts> => {
      const { host, repo } = await at(input);
      const pull = await ownPullRequest(host, repo, input.run);
      await host.markReady(pull);
      return factsOf(pull);
    },

    mergePullRequest: async (input: RunRef & { headSha: string }): Promise<MergeOutcome> => {
      const { run, host, repo } = await at(input);
      const pull = await ownPullRequest(host, repo, input.run);
      const { title, body } = squashMessage(run);
      // It still is a draft when it was closed, and open again since, at the time that it was to be marked.
      await host.markReady(pull);
      return await host.merge(repo, {
        number: pull.number,
        headSha: input.headSha,
        title: `${title} (#${pull.number})`,
        message: body,
      });
    },

    /** Takes back what a run that did not end in a merge left on the code host. */
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

async function ownPullRequest(host: OrgCodehost, repo: string, run: string) {
  const pull = await host.findPullRequest(repo, runBranch(run));
  if (!pull)
    throw invalid(`The run "${run}" has no pull request in ${repo}: somebody removed it. Start the run again.`);
  return pull;
}

function factsOf({ number, url, headSha, state, mergeable }: PullRequestFacts): PullRequestFacts {
  return { number, url, headSha, state, mergeable };
}
