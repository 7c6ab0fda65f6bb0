import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
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
import { guidanceKey } from '../../../src/rules/agents/transcript-keys.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { runGit } from '../run-git.ts';
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
  /** Records the guidance of a person for a turn, as the API and the workflow do. */
  guide: (step: string, turn: number, text: string) => Promise<void>;
  close: () => Promise<void>;
};

const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'init.defaultBranch=main'];
const sampleFolder = join(import.meta.dirname, '../../../src/emulators/sample/hello');

/** The files of a bare repo of the sample, which git writes once per worker. */
let sampleRepo: Promise<Map<string, Buffer>> | undefined;

async function readSampleRepo(): Promise<Map<string, Buffer>> {
  const bare = await mkdtemp(join(tmpdir(), 'sample-'));
  try {
    await runGit(bare, 'init', '--quiet', '--bare', '--template=', '.');
    const work = ['--git-dir', bare, '--work-tree', sampleFolder];
    await runGit(bare, ...work, 'add', '--all');
    await runGit(bare, ...work, 'commit', '--quiet', '-m', 'The sample');
    await rm(join(bare, 'index'));
    const files = (await readdir(bare, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    const paths = files.map(({ parentPath, name }) => relative(bare, join(parentPath, name)));
    return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(join(bare, path))] as const)));
  } finally {
    await rm(bare, { recursive: true, force: true });
  }
}

/** Creates a bare repo of the sample. */
async function createSampleRepo(bare: string): Promise<void> {
  sampleRepo ??= readSampleRepo();
  for (const [path, content] of await sampleRepo) {
    await mkdir(dirname(join(bare, path)), { recursive: true });
    await writeFile(join(bare, path), content);
  }
}

/** Creates a run of the default Change workflow on the sample Product, with a scripted model and a real sandbox. */
export async function startAgentRunHarness(issue: IssueText, scenarios?: Scenario[]): Promise<AgentRunHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-'));
  const bare = join(folder, 'hello.git');
  const git = (...args: string[]): string =>
    execFileSync('git', [...identity, '-C', bare, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  await createSampleRepo(bare);

  const pushAsUser: AgentRunHarness['pushAsUser'] = async (branch, change) => {
    const clone = await mkdtemp(join(folder, 'person-'));
    const gitInClone = async (...args: string[]): Promise<string> => await runGit(clone, ...args);
    await gitInClone('clone', '--quiet', bare, '.');
    if (git('branch', '--list', branch)) await gitInClone('checkout', '--quiet', branch);
    else await gitInClone('checkout', '--quiet', '-b', branch);
    change(clone);
    await gitInClone('add', '--all');
    await gitInClone('commit', '--quiet', '-m', 'A person changes something');
    await gitInClone('push', '--quiet', 'origin', branch);
    return await gitInClone('rev-parse', 'HEAD');
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
    async guide(step, turn, text) {
      const [by, at] = ['bob@example.com', new Date().toISOString()];
      await store.updateStatus(AgentWorkflowRunKind, metadata, ({ status }) => ({
        phase: 'Running' as const,
        ...status,
        guidedBy: [by],
        steps: [{ name: step, phase: 'Running' as const, guidance: { by, outcome: 'guided' as const, at } }],
      }));
      await deps.blobs.put(guidanceKey({ uid: metadata.uid, step, turn }, by), Buffer.from(text));
    },
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
