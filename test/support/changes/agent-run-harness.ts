import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { wrapActivities } from '../../../activities/wrap-activities.ts';
import {
  createAgentActivities,
  type AgentDeps,
  type RunAgentTurnInput,
  type TurnOutcome,
} from '../../../activities/agents/agent-activities.ts';
import type { Scenario } from '../../../src/emulators/model/scenario.ts';
import { startModel } from '../../../src/emulators/model/start-model.ts';
import { defaultRoles, changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { createAgentDeps, type IssueText } from './agent-deps.ts';

export type AgentRunHarness = {
  folder: string;
  uid: string;
  deps: AgentDeps;
  /** The requests to the model, one line each. */
  modelRequests: string[];
  runTurn: (input: Omit<RunAgentTurnInput, 'org' | 'run'>, deps?: Partial<AgentDeps>) => Promise<TurnOutcome>;
  /** Runs the turns of a round until its verdict. */
  runRound: (
    step: string,
    from: number,
    trigger?: RunAgentTurnInput['trigger'],
  ) => Promise<{ outcome: TurnOutcome; turns: number }>;
  createActivities: (deps?: Partial<AgentDeps>) => ReturnType<typeof createAgentActivities>;
  /** Runs git in the bare repo of the code host. */
  git: (...args: string[]) => string;
  /** Commits files to a branch of the code host as a person. */
  pushAsUser: (branch: string, change: (folder: string) => void) => Promise<string>;
  close: () => Promise<void>;
};

const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'init.defaultBranch=main'];
const sampleFolder = join(import.meta.dirname, '../../../src/emulators/sample/hello');

/** Creates a bare repo of the sample. */
function createSampleRepo(bare: string): void {
  const git = (...args: string[]): unknown => execFileSync('git', [...identity, ...args], { stdio: 'pipe' });
  git('init', '--quiet', '--bare', bare);
  const work = ['--git-dir', bare, '--work-tree', sampleFolder];
  git(...work, 'add', '--all');
  git(...work, 'commit', '--quiet', '-m', 'The sample');
  rmSync(join(bare, 'index'));
}

/** Creates a run of the default Change workflow on the sample Product, with a scripted model and a real sandbox. */
export async function startAgentRunHarness(issue: IssueText, scenarios?: Scenario[]): Promise<AgentRunHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-'));
  const bare = join(folder, 'hello.git');
  const git = (...args: string[]): string =>
    execFileSync('git', [...identity, '-C', bare, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  createSampleRepo(bare);

  const pushAsUser: AgentRunHarness['pushAsUser'] = async (branch, change) => {
    const clone = await mkdtemp(join(folder, 'person-'));
    const gitInClone = (...args: string[]): string =>
      execFileSync('git', [...identity, '-C', clone, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
    gitInClone('clone', '--quiet', bare, '.');
    if (git('branch', '--list', branch)) gitInClone('checkout', '--quiet', branch);
    else gitInClone('checkout', '--quiet', '-b', branch);
    change(clone);
    gitInClone('add', '--all');
    gitInClone('commit', '--quiet', '-m', 'A person changes something');
    gitInClone('push', '--quiet', 'origin', branch);
    return gitInClone('rev-parse', 'HEAD');
  };

  const modelRequests: string[] = [];
  const server = await startModel({
    port: 0,
    log: (line) => modelRequests.push(line),
    ...(scenarios && { scenarios }),
  });
  const deps = createAgentDeps(folder, { modelUrl: server.url, issue });
  const { store } = deps;
  const namespace = 'org-acme';
  const zones = [{ name: 'hello-prod', promotionPolicy: 'automatic' as const }];
  await store.create(ProductKind, {
    metadata: { namespace, name: 'hello' },
    spec: { repos: ['acme/hello'], delivery: { zones } },
  });
  const { metadata } = await store.create(AgentWorkflowRunKind, {
    metadata: { namespace, name: 'change-hello-7' },
    spec: {
      agentWorkflow: 'change',
      product: 'hello',
      target: { repo: 'acme/hello', number: 7 },
      startedBy: 'ada',
      steps: changeAgentWorkflow.steps,
      roles: defaultRoles,
    },
  });

  const ref = { org: 'acme', run: 'change-hello-7' };
  const createActivities: AgentRunHarness['createActivities'] = (overrides) =>
    wrapActivities(createAgentActivities({ ...deps, ...overrides }));
  const runTurn: AgentRunHarness['runTurn'] = async (input, overrides) =>
    await new MockActivityEnvironment().run(createActivities(overrides).runAgentTurn, { ...ref, ...input });

  return {
    folder,
    uid: metadata.uid,
    deps,
    modelRequests,
    runTurn,
    createActivities,
    git,
    pushAsUser,
    async runRound(step, from, trigger = 'start') {
      for (let turn = from; turn < from + 20; turn += 1) {
        const outcome = await runTurn({ step, turn, ...(turn === from && { trigger }) });
        if (outcome.done) return { outcome, turns: turn };
      }
      throw new Error(`The step ${step} does not end.`);
    },
    async close() {
      await server.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
